#include "cluster/certificates.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include <fstream>
#include <stdexcept>

namespace trainyard::test {
namespace {

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string pem_of(X509* certificate) {
  BIO* const bio = BIO_new(BIO_s_mem());
  PEM_write_bio_X509(bio, certificate);
  return text_of(bio);
}

std::string pem_of(EVP_PKEY* key) {
  BIO* const bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  return text_of(bio);
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const made = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  X509_add_ext(certificate, made, -1);
  X509_EXTENSION_free(made);
}

/// Not signed yet.
X509* certificate_for(const std::string& name, EVP_PKEY* key, long serial, bool is_expired) {
  X509* const made = X509_new();
  X509_set_version(made, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made), serial);
  X509_gmtime_adj(X509_getm_notBefore(made), -2 * 86'400);
  X509_gmtime_adj(X509_getm_notAfter(made), is_expired ? -86'400 : 86'400);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_pubkey(made, key);
  return made;
}

}  // namespace

struct Authority::Keys {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = certificate_for("test CA", key, 1, false);
};

Authority::Authority() : keys_(new Keys) {
  X509_set_issuer_name(keys_->certificate, X509_get_subject_name(keys_->certificate));
  extend(keys_->certificate, keys_->certificate, NID_basic_constraints, "critical,CA:TRUE");
  extend(keys_->certificate, keys_->certificate, NID_subject_key_identifier, "hash");
  X509_sign(keys_->certificate, keys_->key, EVP_sha256());
  std::string folder = (std::filesystem::temp_directory_path() / "trainyard-tls-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = folder;
}

Authority::~Authority() {
  std::filesystem::remove_all(folder_);
  X509_free(keys_->certificate);
  EVP_PKEY_free(keys_->key);
  delete keys_;
}

std::string Authority::pem() const {
  return pem_of(keys_->certificate);
}

Authority::Pair Authority::sign(const std::string& name, bool is_expired) {
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const made = certificate_for(name, key, 100 + count_, is_expired);
  X509_set_issuer_name(made, X509_get_subject_name(keys_->certificate));
  const bool is_address = name.find_first_not_of("0123456789.") == name.npos;
  extend(made, keys_->certificate, NID_subject_alt_name, (is_address ? "IP:" : "DNS:") + name);
  X509_sign(made, keys_->key, EVP_sha256());
  Pair pair;
  pair.certificate = pem_of(made);
  pair.key = pem_of(key);
  const auto write = [this](const std::string& suffix, const std::string& text) {
    const std::filesystem::path path = folder_ / (std::to_string(count_) + suffix);
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  };
  pair.certificate_file = write(".crt", pair.certificate);
  pair.key_file = write(".key", pair.key);
  ++count_;
  X509_free(made);
  EVP_PKEY_free(key);
  return pair;
}

}  // namespace trainyard::test
