#include "source/sha256.h"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "source/sha256_blocks.h"
#include "source/sha256_of_each.h"

using namespace trainyard;

// FIPS 180-4 examples and NIST's CAVP short messages.
TEST_CASE("the published SHA-256 examples come out") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu") ==
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(sha256_hex("\xd3") == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
}

TEST_CASE("the digest does not depend on the pieces in which bytes come") {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string_view whole = std::string_view(text).substr(0, size);
    Sha256 hash;
    for (std::size_t at = 0; at < size; at += 13) hash.update(whole.substr(at, 13));
    CHECK(hash.finish_hex() == sha256_hex(whole));
  }
}

TEST_CASE("fields are distinguished whatever their borders") {
  const auto two = [](std::string_view a, std::string_view b) {
    return Sha256().update_field(a).update_field(b).finish_hex();
  };
  CHECK(two("ab", "c") != two("a", "bc"));
  CHECK(two("", "abc") != two("abc", ""));
  CHECK(two("a", "b") == two("a", "b"));
}

namespace {

void check_against_plain(Sha256Compress fast) {
  std::string text;
  for (std::uint32_t i = 0; i < 50 * kSha256Block; ++i) {
    text += static_cast<char>((i * 2654435761U) >> 24);
  }
  std::array<std::uint32_t, 8> a = {1, 2, 3, 4, 5, 6, 7, 0xffffffff};
  std::array<std::uint32_t, 8> b = a;
  for (std::size_t count : {0U, 1U, 2U, 17U, 30U}) {
    fast(a.data(), text.data(), count);
    sha256_compress_plain(b.data(), text.data(), count);
    CHECK(a == b);
    text.erase(0, count * kSha256Block);
  }
}

}  // namespace

TEST_CASE("the processor's own instructions give what plain C++ gives") {
  const Sha256Compress native = sha256_compress_native();
  if (native == nullptr) SKIP("this processor has no SHA instructions");
  check_against_plain(native);
}

TEST_CASE("two blocks at a time give what plain C++ gives for each") {
  const Sha256Compress wide = sha256_compress_wide();
  if (wide == nullptr) SKIP("this processor has no AVX2 or no BMI2");
  check_against_plain(wide);
}

namespace {

/// Of all lengths around those of one and two blocks, and one that is much longer.
std::vector<std::string> texts_of_many_lengths() {
  std::vector<std::string> texts;
  for (std::size_t size = 0; size < 150; ++size) texts.emplace_back(size, 'a' + size % 26);
  texts.insert(texts.begin() + 3, std::string(5000, 'x'));
  return texts;
}

}  // namespace

TEST_CASE("several texts have the digests that each has alone") {
  const std::vector<std::string> texts = texts_of_many_lengths();
  for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 9U, 151U}) {
    const std::vector<std::string_view> some(texts.begin(),
                                             texts.begin() + static_cast<std::ptrdiff_t>(count));
    for (const auto& digests : {sha256_hex_of_each(some), sha256_hex_by_lanes(some)}) {
      REQUIRE(digests.size() == count);
      for (std::size_t i = 0; i < count; ++i) CHECK(digests[i] == sha256_hex(some[i]));
    }
  }
}
