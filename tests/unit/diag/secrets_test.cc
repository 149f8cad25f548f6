#include "diag/secrets.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "growth.h"

using namespace trainyard;
using trainyard::testing::growth;
using trainyard::testing::kMostGrowth;

namespace {

const std::string kToken = "ghp_" + std::string(36, 'a');

/// The text with every finding replaced by `*`.
std::string masked(std::string_view text) {
  std::string result;
  std::size_t at = 0;
  for (const CredentialFinding& found : find_secrets(text)) {
    REQUIRE(at <= found.begin);
    REQUIRE(found.begin < found.end);
    result += text.substr(at, found.begin - at);
    result += '*';
    at = found.end;
  }
  return result += text.substr(at);
}

}  // namespace

TEST_CASE("every token of a text is found, not only the first") {
  CHECK(masked("a: " + kToken + "\nb: [" + kToken + ", x]\n") == "a: *\nb: [*, x]\n");
  CHECK(masked("https://me:hunter2@host/a https://me:hunter3@host/b") ==
        "https://me:*@host/a https://me:*@host/b");
}

TEST_CASE("a secret is found however YAML and JSON write it") {
  CHECK(masked("a: \"\\x67" + kToken.substr(1) + "\" # b\n") == "a: \"*\" # b\n");
  CHECK(masked("a: \"\\u0067" + kToken.substr(1) + "\"\n") == "a: \"*\"\n");
  CHECK(masked("a: \"" + kToken.substr(0, 20) + "\\\n   " + kToken.substr(20) + "\"\nb: 1\n") ==
        "a: \"*\"\nb: 1\n");
  CHECK(masked("\"DB_PASSW\\x4fRD\": hunter2word\n") == "\"DB_PASSW\\x4fRD\": *\n");
  CHECK(masked("{\"k\\u0065y\": 1, \"pass\\u0077ord\": \"hunter2word\"}") ==
        "{\"k\\u0065y\": 1, \"pass\\u0077ord\": \"*\"}");
}

TEST_CASE("anchors, tags and line breaks before a value do not hide it") {
  CHECK(masked("{DB_PASSWORD: &pw hunter2word, b: 1}") == "{DB_PASSWORD: &pw *, b: 1}");
  CHECK(masked("DB_PASSWORD: !!str &pw 'hunter2word'\n") == "DB_PASSWORD: !!str &pw '*'\n");
  CHECK(masked("DB_PASSWORD: &pw |\n  hunter2word\nb: 1\n") == "DB_PASSWORD: &pw |\n  *\nb: 1\n");
  CHECK(masked("env:\n  DB_PASSWORD:\n    hunter2word\n  b: 1\n") ==
        "env:\n  DB_PASSWORD:\n    *\n  b: 1\n");
  CHECK(masked("? DB_PASSWORD\n: hunter2word\nb: 1\n") == "? DB_PASSWORD\n: *\nb: 1\n");
  CHECK(masked("kind: Secret\nstringData:\n  a: &x one\n  b: !!str two\n  c: *x\n") ==
        "kind: Secret\nstringData:\n  a: &x *\n  b: !!str *\n  c: *x\n");
}

TEST_CASE(
    "what is below the name of a credential is no secret where it is a map, a list or a key") {
  for (const char* text : {"token:\n  name: hf\n", "token:\n- a\n", "token:\n  - a\n",
                           "token:\nother: word\n", "api_key:\n  # set by hand\n", "password:\n",
                           "password: &x\n  name: y\n", "password: *x\n"}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
}

TEST_CASE("a private key is a secret up to its last line") {
  const std::string key = "-----BEGIN RSA PRIVATE KEY-----\n  abc\n  -----END RSA PRIVATE KEY-----";
  CHECK(masked("k: |\n  " + key + "\nb: 1\n") == "k: |\n  *\nb: 1\n");
  CHECK(masked("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n" + key + "\n") ==
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n*\n");
  CHECK(masked("-----BEGIN PRIVATE KEY-----\nabc") == "*");
  // A script that writes or removes the header of a key that it reads elsewhere.
  for (const char* text : {"echo '-----BEGIN RSA PRIVATE KEY-----'\ncat /ssh/id\n",
                           "sed 's/-----BEGIN RSA PRIVATE KEY-----//' /ssh/id\n"}) {
    CHECK(masked(text) == text);
  }
}

namespace {

/// As a generator of tokens makes them.
const std::string kWord = "q7Xd2LmZ9vTfR4kYb8NwHs3PcJ6gAeUo";

/// Words of a length in which every character is as likely as any other.
std::vector<std::string> chance(std::size_t length, std::string_view alphabet, int number) {
  std::uint64_t state = 88172645463325252ULL;
  std::vector<std::string> words(static_cast<std::size_t>(number));
  for (std::string& word : words) {
    while (word.size() < length) {
      state ^= state << 13U;
      state ^= state >> 7U;
      state ^= state << 17U;
      word += alphabet[(state >> 20U) % alphabet.size()];
    }
  }
  return words;
}

}  // namespace

TEST_CASE("a long word that only chance makes is a secret under any name") {
  CHECK(masked("session: " + kWord + " # why\n") == "session: * # why\n");
  CHECK(masked("a(\"" + kWord + "\")") == "a(\"*\")");
  CHECK(masked("id=" + kWord + "==\n") == "id=*==\n");
  CHECK(masked(kWord + "," + kWord) == "*,*");
  CHECK(masked(kWord.substr(1)) == kWord.substr(1));
  CHECK(masked(kWord + kWord + kWord + kWord) == "*");
  const std::string data = kWord + kWord + kWord + kWord + "A";
  CHECK(masked(data) == data);
  CHECK(find_credential(kWord)->by_chance);
  CHECK_FALSE(find_credential(kToken)->by_chance);
}

TEST_CASE("nine of ten words that chance makes are found, and nearly all of the long ones") {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const auto found = [](const std::vector<std::string>& words) {
    return std::ranges::count_if(
        words, [](const auto& word) { return find_credential(word).has_value(); });
  };
  CHECK(found(chance(32, letters, 1000)) > 880);
  CHECK(found(chance(40, letters + "+/", 1000)) > 880);
  CHECK(found(chance(64, letters + "-_", 1000)) > 940);
  CHECK(found(chance(64, "0123456789abcdef", 1000)) == 0);
  CHECK(found(chance(36, "abcdefghijklmnopqrstuvwxyz0123456789", 1000)) == 0);
}

TEST_CASE("long words of other kinds are no secrets") {
  const auto shown = [](const std::string& text) {
    INFO(text);
    CHECK(masked(text) == text);
  };
  shown("fedcba9876543210fedcba9876543210fedcba98");
  shown("0f8fad5b-d9cb-469f-a165-70867728950e");
  shown("nvcr.io/nvidia/nemo@sha256:" + std::string(64, 'a'));
  shown("sha256-Zk3v9QpLr8XsT1nBw5yHd7GcJm2FaVe0UoRiXq4Wt6E=");
  shown("SHA256:Zk3v9QpLr8XsT1nBw5yHd7GcJm2FaVe0UoRiXq4Wt6E");
  shown("nvidia/Llama-3_1-Nemotron-70B-Instruct-HF");
  shown("/ckpt/Llama-3.1-70B_TP8_PP4_CP2_GBS1024_MBS1_LR3e-4_2025-03-14T09-26-53");
  shown("TP4PP2CP1EP8DP16GBS512LR3e4ctx8192Bf16H100x64Run07B");
  shown("IoK8sApiCoreV1ContainerRestartRuleOnExitCodes");
  shown("NeMo2Llama31Pretrain70BFp8H100Nodes32Config");
  shown("Qwen2VLForConditionalGeneration");
  shown("VGhpcyBpcyBhIHNlbnRlbmNlIGluIHBsYWluIHdvcmRzLg==");              // text
  shown("4KSo4KSu4KS44KWN4KSk4KWHIOCkpuClgeCkqOCkv+Ckr+CkviAxMjM0NQ==");  // in another script
  shown("1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs");
  shown("QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPUrH");
  shown("https://example.com/" + kWord + "/model.safetensors");
  shown("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me");
  shown("ENC[AES256_GCM,data:" + kWord + ",iv:" + kWord + ",type:str]");
  shown("-----BEGIN CERTIFICATE-----\n" + kWord + "\n-----END CERTIFICATE-----");
  shown("picture: |\n  " + kWord + "\n  " + kWord + "=\n");
  shown("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
}

TEST_CASE("a value is a secret by the name that it stands under") {
  CHECK(masked("DB_PASSWORD: hunter2xyz\n") == "DB_PASSWORD: *\n");
  CHECK(masked("DB_PASSWORD: 'hunter2 xyz' # why\n") == "DB_PASSWORD: '*' # why\n");
  CHECK(masked("DB_PASSWORD: hunter2,]xyz # why\n") == "DB_PASSWORD: * # why\n");
  CHECK(masked("\"db-password\": \"hunter\\\"2xyz\"\n") == "\"db-password\": \"*\"\n");
  CHECK(masked("env: {HF_TOKEN: hunter2xyz, A: b}\n") == "env: {HF_TOKEN: *, A: b}\n");
  CHECK(masked("HF_TOKEN=hunter2xyz python train.py") == "HF_TOKEN=* python train.py");
  CHECK(masked("API_KEY: hunter2xyz\r\nA: b\r\n") == "API_KEY: *\r\nA: b\r\n");
}

TEST_CASE("a value is a secret by the name beside it, and by the option before it") {
  CHECK(masked("- name: DB_PASSWORD\n  value: hunter2xyz\n") ==
        "- name: DB_PASSWORD\n  value: *\n");
  CHECK(masked("{name: DB_PASSWORD, value: \"hunter2xyz\"}") ==
        "{name: DB_PASSWORD, value: \"*\"}");
  CHECK(masked("{\"name\": \"DB_PASSWORD\", \"value\": \"hunter2xyz\"}") ==
        "{\"name\": \"DB_PASSWORD\", \"value\": \"*\"}");
  CHECK(masked("args: [--api-key=hunter2xyz, a]") == "args: [--api-key=*, a]");
  CHECK(masked("args: [--api-key, hunter2xyz, a]") == "args: [--api-key, *, a]");
  CHECK(masked("args:\n- --api-key\n- hunter2xyz\n- a\n") == "args:\n- --api-key\n- *\n- a\n");
}

TEST_CASE("the lines of a block below the name of a credential are secrets") {
  CHECK(masked("a:\n  SSH_PASSPHRASE: |\n    one two\n\n    three\n  b: c\n") ==
        "a:\n  SSH_PASSPHRASE: |\n    *\n\n    *\n  b: c\n");
}

TEST_CASE(
    "a key is a secret behind the command that takes it, and by its digits beside a key's name") {
  const std::string key = "0123456789abcdef0123456789abcdef01234567";
  CHECK(masked("shell: 'wandb login " + key + "; ./train'") == "shell: 'wandb login *; ./train'");
  CHECK(masked("- wandb login --relogin " + key + "\n") == "- wandb login --relogin *\n");
  CHECK(masked("--wandb-key=" + key) == "--wandb-key=*");
  CHECK(masked("trainer.api_key=hunter2xyz") == "trainer.api_key=*");
  CHECK(masked("AWS_SECRET_ACCESS_KEY = 'hunter2xyz'") == "AWS_SECRET_ACCESS_KEY = '*'");
  for (const std::string& text : {"git checkout " + key, "wandb login; git checkout " + key,
                                  "--commit=" + key, std::string("--sort-key=name-of-column")}) {
    CHECK(masked(text) == text);
  }
}

TEST_CASE("tokens of the services that training uses are found by their form") {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
  const std::string digits = "0123456789abcdef0123456789abcdef0123456789abcdef";
  for (const std::string& token :
       {"wandb_v1_" + letters + "abcdefgh", "gsk_" + letters, "dapi" + digits.substr(0, 32),
        "r8_" + letters.substr(0, 37), "hvs." + letters + letters, "pplx-" + letters.substr(0, 48),
        "dckr_pat_" + letters.substr(0, 27), "glsa_" + letters.substr(0, 32) + "_01234567",
        "SG." + letters.substr(0, 22) + "." + letters.substr(0, 43), "xapp-1-" + letters,
        "sk-svcacct-" + letters, "api_org_" + letters.substr(0, 34), "lsv2_pt_" + digits,
        "ya29." + letters, "AGE-SECRET-KEY-1" + std::string(58, 'Q')}) {
    INFO(token);
    CHECK(masked("a: " + token + "\n") == "a: *\n");
    CHECK(masked("x" + token) == "x" + token);  // a part of a longer word
  }
  for (const std::string& text :
       {"dapi" + digits.substr(0, 31), "gsk_" + letters.substr(0, 51),
        std::string("AGE-SECRET-KEY-1") + std::string(57, 'Q'), std::string("pul-request-42"),
        std::string("sk-learn-contrib-examples-and-more-of-them"),
        std::string("hvs.example.com")}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
}

TEST_CASE("a private key is a secret in base64, too, and a certificate is none") {
  CHECK(masked("k: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFB\n") == "k: *\n");
  CHECK(masked("k: LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZLS0tLS0KYWJj\n") == "k: *\n");
  const std::string certificate = "k: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUI=\n";
  CHECK(masked(certificate) == certificate);
}

TEST_CASE("an address holds a secret in its parameters, and webhooks in their path") {
  CHECK(masked("u: https://a/b?x=1&token=hunter2xyz#c") == "u: https://a/b?x=1&token=*");
  CHECK(masked("redis://cache:6379/0?password=hunter2xyz&db=1") ==
        "redis://cache:6379/0?password=*");
  CHECK(masked("https://a.blob.core.windows.net/c?sv=2022-11-02&sig=Zk3bQ9vLw2Zk3bQ9vLw2%3D&x=1") ==
        "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=*&x=1");
  CHECK(masked("https://hooks.slack.com/services/T00000000/B00000000/abcdefghijkl now") ==
        "https://hooks.slack.com/services/* now");
  for (const char* text : {"https://a/b?token=<token>", "https://a/b?token=${TOKEN}",
                           "https://a/b?page_token=CAUQAA12", "https://a/b?sig=short",
                           "f\"https://a/b?token={token}\"", "https://hooks.slack.com/services/",
                           "python x.py && key=1"}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
}

TEST_CASE("headers, users of curl and lines of netrc hold secrets") {
  CHECK(masked("'Authorization: Bearer abcdef0123456789abcdef'") == "'Authorization: Bearer *'");
  CHECK(masked("Authorization: Basic dXNlcjpodW50ZXIyYWJj, x") == "Authorization: Basic *, x");
  CHECK(masked("curl -u me:hunter2xyz https://a") == "curl -u me:* https://a");
  CHECK(masked("curl --user 'me:hunter2xyz' https://a") == "curl --user 'me:*' https://a");
  CHECK(masked("machine api.wandb.ai\n  login user\n  password hunter2xyz\n") ==
        "machine api.wandb.ai\n  login user\n  password *\n");
  for (const char* text :
       {"Authorization: Bearer $TOKEN", "a Bearer authentication-required", "Bearer {token}",
        "docker run -u 1000:1000 image", "curl -u $USER:$PASSWORD https://a",
        "the password protected page", "Basic authentication"}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
}

TEST_CASE("names of passwords without a dash, and names that are none") {
  for (const char* name : {"PGPASSWORD", "MYSQL_PWD", "DB_PASS", "SMTP_PASS", "NGROK_AUTHTOKEN",
                           "AccountKey", "MINIO_SECRETKEY"}) {
    INFO(name);
    CHECK(is_named_credential(name, "hunter2xyz"));
  }
  for (const char* name : {"PWD", "OLDPWD", "FIRST_PASS", "MULTI_PASS", "pad_token", "--mask_token",
                           "EOS_TOKEN", "page_token", "loss_per_token", "--image-token", "BYPASS",
                           "--initial-cluster-token", "ETCD_INITIAL_CLUSTER_TOKEN"}) {
    INFO(name);
    CHECK_FALSE(is_named_credential(name, "hunter2xyz"));
  }
  CHECK(is_named_credential("CLUSTER_TOKEN", "hunter2xyz"));
  CHECK_FALSE(is_named_credential("PULL_SECRET", "registry-secret"));
  CHECK(is_named_credential("PULL_SECRET", "registry"));
  CHECK(is_named_credential("DB_PASSWORD", "my-password"));
  CHECK_FALSE(is_named_credential("--private-key", "client.pem"));
}

TEST_CASE("a place where a value is still to come holds no credential") {
  for (const char* value :
       {"PLACEHOLDER_HF_TOKEN", "YOUR_HF_TOKEN", "your-api-key-here", "REPLACE_ME", "replaceMe",
        "xxxxxxxxxxxx", "hf_xxxxxxxx", "********", "TODO_TOKEN", "change-me", "not-needed",
        "sk-noauth", "sk-no-key-required", "fake-key", "unused"}) {
    INFO(value);
    CHECK_FALSE(is_named_credential("HF_TOKEN", value));
  }
  for (const char* value :
       {"yourhorse", "my-placeholder-7", "xxx-hunter", "hunterxxxx", "replacement", "your-7-horses",
        "no-one-knows", "sk-not-needed-by-you"}) {
    INFO(value);
    CHECK(is_named_credential("HF_TOKEN", value));
  }
}

TEST_CASE("the words of a header are a credential by the header's name") {
  const auto held = [](std::vector<std::string> words) {
    CredentialWords command;
    return std::ranges::any_of(words, [&](const auto& word) { return command.holds_one(word); });
  };
  CHECK(held({"curl", "-H", "X-Api-Key: hunter2xyz"}));
  CHECK_FALSE(held({"curl", "-H", "Content-Type: application/json"}));
  CHECK_FALSE(held({"curl", "-H", "X-Api-Key: $KEY"}));
}

TEST_CASE("the name of a Secret is shown where the key says that it is one") {
  for (const char* text :
       {"credentials: s3-reader\n", "{credentials: 's3-reader', a: b}", "authSecret: ngc-api\n",
        "tlsSecret: models-tls\n", "\"credentials\": \"s3.reader\"\n"}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
  CHECK(masked("credentials: Hunter2xyz\n") == "credentials: *\n");
  CHECK(masked("clientSecret: hunter2xyz\n") == "clientSecret: *\n");
  CHECK(masked("credentials=hunter2xyz") == "credentials=*");
  CHECK(masked("credentials: hunter2 xyz\n") == "credentials: *\n");
}

TEST_CASE("all values of a Secret are secret, whatever their keys are called") {
  CHECK(masked(
            "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  x: abc\n  y: 'd e'\n"
            "  z: |\n    one\n    two\nimmutable: true\n") ==
        "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData:\n  x: *\n  y: '*'\n"
        "  z: |\n    *\n    *\nimmutable: true\n");
  // Argo CD keeps in a Secret where a repository is.
  CHECK(
      masked("kind: Secret\nmetadata:\n  labels:\n    argocd.argoproj.io/secret-type: repository\n"
             "stringData:\n  name: charts\n  url: https://a.example\n  password: abc\n") ==
      "kind: Secret\nmetadata:\n  labels:\n    argocd.argoproj.io/secret-type: repository\n"
      "stringData:\n  name: charts\n  url: https://a.example\n  password: *\n");
  CHECK(masked("kind: Secret\ndata: {a: YWJj, 'b c': \"ZGVm\"}\ntype: Opaque\n") ==
        "kind: Secret\ndata: {a: *, 'b c': \"*\"}\ntype: Opaque\n");
  CHECK(masked("{\"kind\": \"Secret\", \"data\": {\"a\": \"YWJj\",\n \"b\": \"ZGVm\"}, \"type\": "
               "\"Opaque\"}") ==
        "{\"kind\": \"Secret\", \"data\": {\"a\": \"*\",\n \"b\": \"*\"}, \"type\": \"Opaque\"}");
  // As `kubectl get` prints one that was applied.
  CHECK(masked("kind: Secret\nmetadata:\n  annotations:\n    last: |\n      "
               "{\"data\":{\"a\":\"YWJj\"}}\n") ==
        "kind: Secret\nmetadata:\n  annotations:\n    last: |\n      {\"data\":{\"a\":\"*\"}}\n");
  // Those of other documents and objects are not.
  for (const char* text : {"kind: ConfigMap\ndata: {a: b}\n---\nkind: SecretStore\ndata: {a: b}\n",
                           "kind: ConfigMap\ndata:\n  a: kind of Secret\n  b: c\n",
                           "kind: Secret\nmetadata: {name: data}\n"}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
  CHECK(
      masked(
          "kind: ConfigMap\ndata: {a: b}\n---\nkind: Secret\ndata: {a: b}\n---\ndata: {a: b}\n") ==
      "kind: ConfigMap\ndata: {a: b}\n---\nkind: Secret\ndata: {a: *}\n---\ndata: {a: b}\n");
}

TEST_CASE("a value of a variable holds a secret beside its name, and no expression does") {
  CHECK(find_named_secret("host=db user=me password=hunter2xyz"));
  CHECK(find_named_secret("{\"api_key\": \"hunter2xyz\"}"));
  CHECK(find_named_secret("export TOKEN=hunter2xyz; ./train"));
  for (const char* text : {"token = load(2)", "x = args.api_key", "token = args.hf_token",
                           "--token $(cat /t)", "pad_token=<pad>", "export TOKEN=$OTHER"}) {
    INFO(text);
    CHECK_FALSE(find_named_secret(text));
  }
}

TEST_CASE("programs hold a secret only where a literal stands beside its name") {
  CHECK(find_written_secret("AWS_SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'"));
  CHECK(find_written_secret("wandb_api_key: 0123456789abcdef0123456789abcdef01234567\n"));
  for (const char* text :
       {"next_token = logits.argmax(dim=-1)", "api_key = os.environ['WANDB_API_KEY_2']",
        "pad_token = '<|reserved_special_token_0|>'", "token = tokenizer.encode2(text_of_line)",
        "hf(token=args.hf_token_of_user_2)", "secret_key: from-the-environment"}) {
    INFO(text);
    CHECK_FALSE(find_written_secret(text));
  }
}

TEST_CASE("a user and a password in base64 are a secret under a name such as auth") {
  const std::string login = "JG9hdXRodG9rZW46aHVudGVyMnh5eg==";
  CHECK(masked(R"({"auths": {"nvcr.io": {"auth": ")" + login + R"("}}})") ==
        R"({"auths": {"nvcr.io": {"auth": "*"}}})");
  CHECK(masked("//registry.npmjs.org/:_auth=dXNlcjpwYXNz\n") == "//registry.npmjs.org/:_auth=*\n");
  CHECK(masked("- name: REGISTRY_AUTH\n  value: dXNlcjpwYXNz\n") ==
        "- name: REGISTRY_AUTH\n  value: *\n");
  CHECK(masked(R"({"identitytoken": "hunter2xyz"})") == R"({"identitytoken": "*"})");
  for (const std::string& text : {"label: " + login + "\n", std::string("auth: kerberos\n"),
                                  std::string("auth: VGhpc0lzVGV4dA==\n"),
                                  std::string("- name: REGISTRY_AUTH\n  value: required\n"),
                                  std::string("author: dXNlcjpwYXNz\n")}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
}

TEST_CASE("base64 of a text that holds a credential is a secret, and other base64 is none") {
  const std::string docker =
      "eyJhdXRocyI6eyJudmNyLmlvIjp7ImF1dGgiOiJKRzloZFhSb2RHOXJaVzQ2YUhWdWRHVnlNbmg1ZWc9PSJ9fX0=";
  const std::string ngc =
      "bXY2ZmxhYmNkZWZnaGlqMDEyMzQ1Njc4OWE6MGViZDI3YjUtMWMyZC00ZTNmLThhOWItMDEyMzQ1Njc4OWFi";
  const std::string neptune =
      "eyJhcGlfYWRkcmVzcyI6Imh0dHBzOi8vYXBwLm5lcHR1bmUuYWkiLCJhcGlfdXJsIjoiaHR0cHM6Ly9hcHAubmVwdHVu"
      "ZS5haSIsImFwaV9rZXkiOiIwZWJkMjdiNS0xYzJkLTRlM2YtOGE5Yi0wMTIzNDU2Nzg5YWIifQ==";
  const std::string config = "dG9rZW4gPSAiaGZfYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYSIK";
  for (const std::string& secret : {docker, ngc, neptune, config}) {
    INFO(secret);
    CHECK(masked("a: '" + secret + "'\n").substr(0, 5) == "a: '*");
    CHECK(masked("binaryData:\n  a: " + secret + "\n").starts_with("binaryData:\n  a: *"));
    CHECK_FALSE(find_credential(secret)->by_chance);
  }
  for (const char* text :
       {// {"auths":{"nvcr.io":{}},"credsStore":"pass"}
        "eyJhdXRocyI6eyJudmNyLmlvIjp7fX0sImNyZWRzU3RvcmUiOiJwYXNzIn0=",
        // 25 characters, a colon and a UUID
        "bXY2ZmxhYmNkZWZnaGlqMDEyMzQ1Njc4OTowZWJkMjdiNS0xYzJkLTRlM2YtOGE5Yi0wMTIzNDU2Nzg5YWI=",
        // a document of Neptune's form without a key
        "eyJhcGlfYWRkcmVzcyI6Imh0dHBzOi8vYXBwLm5lcHR1bmUuYWkiLCJhcGlfdXJsIjoiaHR0cHM6Ly9hcHAubmVwdH"
        "VuZS5haSIsIm5vdGUiOiJubyBrZXkgaGVyZSJ9"}) {
    INFO(text);
    CHECK(masked(text) == text);
  }
}

TEST_CASE("session tokens of AWS are found by their form") {
  const std::string rest = std::string(60, 'A') + "/" + std::string(60, 'b') + "+x";
  for (const char* start :
       {"IQoJb3JpZ2luX2Vj", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "AgoJb3JpZ2luX2Vj"}) {
    INFO(start);
    CHECK(masked("CREDS: " + (start + rest) + "\n") == "CREDS: *\n");
    CHECK(masked("CREDS: " + (start + rest.substr(0, 40)) + "\n") ==
          "CREDS: " + (start + rest.substr(0, 40)) + "\n");
  }
}

TEST_CASE("webhooks of Microsoft Teams are secrets in their path") {
  const std::string key =
      "0ebd27b5-1c2d-4e3f-8a9b-0123456789ab@0ebd27b5-1c2d-4e3f-8a9b-0123456789ab/IncomingWebhook/"
      "0123456789abcdef0123456789abcdef/0ebd27b5-1c2d-4e3f-8a9b-0123456789ab";
  CHECK(masked("url: https://acme.webhook.office.com/webhookb2/" + key + "\n") ==
        "url: https://acme.webhook.office.com/webhookb2/*\n");
  CHECK(masked("url: https://outlook.office.com/webhook/" + key + "\n") ==
        "url: https://outlook.office.com/webhook/*\n");
  for (const char* text :
       {"https://acme.webhook.office.com/webhookb2/ is where they are",
        "https://learn.microsoft.com/outlook.office.com/webhook/how-to-add-an-incoming-webhook"}) {
    CHECK(masked(text) == text);
  }
}

TEST_CASE("pictures and packed files are no secrets, whatever chance makes of their bytes") {
  for (const char* magic :
       {"iVBORw0KGgo", "/9j/", "R0lGOD", "H4sI", "UEsDB", "KLUv/", "/Td6WFoA"}) {
    INFO(magic);
    CHECK(masked("icon: " + (magic + kWord)) == "icon: " + (magic + kWord));
  }
  CHECK(masked("icon: XYsI" + kWord) == "icon: *");
}

TEST_CASE("a value is a secret at its anchor when an alias stands in a place of secrets") {
  CHECK(masked("a: &pw hunter2xyz\nDB_PASSWORD: *pw\n") == "a: &pw *\nDB_PASSWORD: *pw\n");
  CHECK(masked("a: &pw 'hunter2 xyz'\nenv: [{name: DB_PASSWORD, value: *pw}]\n") ==
        "a: &pw '*'\nenv: [{name: DB_PASSWORD, value: *pw}]\n");
  CHECK(masked("a: [&pw hunter2xyz, b]\nDB_PASSWORD: *pw\n") ==
        "a: [&pw *, b]\nDB_PASSWORD: *pw\n");
  CHECK(masked("x: &pw hunter2xyz\nkind: Secret\nstringData:\n  a: *pw\n") ==
        "x: &pw *\nkind: Secret\nstringData:\n  a: *pw\n");
  CHECK(masked("kind: Secret\nstringData: &all {a: hunter2xyz}\n") ==
        "kind: Secret\nstringData: &all {a: *}\n");
  CHECK(masked("a: &other hunter2xyz\nb: &pw hunter3xyz\nDB_PASSWORD: *pw\nc: *other\n") ==
        "a: &other hunter2xyz\nb: &pw *\nDB_PASSWORD: *pw\nc: *other\n");
}

TEST_CASE("what kubectl noted of a Secret is as secret as the Secret") {
  const std::string note = R"({"apiVersion":"v1","data":{"user":"aHVudGVyMg=="},"kind":"Secret"})";
  const std::string shown = R"({"apiVersion":"v1","data":{"user":"*"},"kind":"Secret"})";
  const std::string key = "annotations:\n  kubectl.kubernetes.io/last-applied-configuration: ";
  CHECK(masked(key + "|\n    " + note + "\n") == key + "|\n    " + shown + "\n");
  CHECK(masked(key + "'" + note + "'\n") == key + "'" + shown + "'\n");
  const std::string pod = R"({"env":[{"name":"DB_PASSWORD","value":"hunter2xyz"}],"kind":"Pod"})";
  CHECK(masked(key + "|\n    " + pod + "\n") ==
        key + "|\n    " + R"({"env":[{"name":"DB_PASSWORD","value":"*"}],"kind":"Pod"})" + "\n");
}

TEST_CASE("references and plain words are no secrets") {
  for (const char* text :
       {"HF_TOKEN: {name: hf, key: token}\n", "volumes: [{secret: {secretName: abcdefg}}]\n",
        "secret: my-secret-name\n", "TOKENIZERS_PARALLELISM: 'false'\n", "API_KEY: $(OTHER)\n",
        "TOKEN_FILE: /var/run/token\n", "API_TOKEN: 1234567\n", "password:\n",
        "token: ", "- name: A\n  value: abcdefg\n", "--api-key --other", "a: --- b\n"}) {
    CHECK(masked(text) == text);
  }
}

TEST_CASE("hostile text takes linear time") {
  for (const char* unit : {"token: ",
                           "token: $( ",
                           "token: | ",
                           "token: \"",
                           "--token ",
                           "{[",
                           "://a:b",
                           "-----BEGIN ",
                           "eyJ",
                           "a.",
                           "name: API_KEY ",
                           "token=$(\n",
                           "AKIA",
                           "LS0tLS1CRUdJTi",
                           "?sig=",
                           "&token=a1",
                           "Bearer ",
                           "curl -u a:b",
                           "machine login password ",
                           "://hooks.slack.com/services/",
                           "://a?token=a1b2c3&",
                           "kind: Secret data: { ",
                           "eyJhdXRocyI6",
                           "eyJhdXRocyI6eyJhdXRocyI6eyJhdXRocyI6 ",
                           "auth: dXNlcjpwYXNz",
                           "password: *a &a ",
                           "password: *a &a \"",
                           "password: *a &a |\n ",
                           "kind: Secret\ndata:\n x: y\n"}) {
    INFO(unit);
    const double found = growth(20'000, [unit](std::size_t size) {
      std::string text;
      while (text.size() < size) text += unit;
      find_secrets(text);
    });
    CHECK(found < kMostGrowth);
  }
}
