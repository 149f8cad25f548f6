#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "property/oracle.h"
#include "tree/quantity.h"

using namespace trainyard;

namespace {

struct Question {
  std::string left;
  std::string right;
  std::int64_t factor;
};

class QuestionGenerator {
 public:
  Question next() { return {quantity(), quantity(), factor()}; }

 private:
  std::uint64_t below(std::uint64_t bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % bound;
  }

  std::string digits(std::uint64_t longest) {
    std::string result;
    for (std::uint64_t left = below(longest + 1); left > 0; --left) {
      result += static_cast<char>('0' + (below(3) == 0 ? 0 : below(10)));
    }
    return result;
  }

  std::string quantity() {
    static constexpr std::string_view kEdges[] = {
        "",
        "0",
        "-",
        "+",
        ".",
        "-.",
        "1.",
        ".5",
        "-0",
        "00",
        "1000m",
        "1024Mi",
        "0.5",
        "1.5Gi",
        "1e3",
        "1E3",
        "1E",
        "1e",
        "1Ei",
        "8Ei",
        "9Ei",
        "-9Ei",
        "1023",
        "1024",
        "1023Ki",
        "0.1Ki",
        "0.0001Ki",
        "1Kii",
        "1ki",
        "1K",
        "1mi",
        "1i",
        "1e+3",
        "1e-3",
        "1e+",
        "1e--3",
        "1e+-3",
        "1e3.5",
        "1 Gi",
        " 1",
        "1 ",
        "0x10",
        "1_000",
        "1n",
        "0.1n",
        "-0.1n",
        "0.0000000001",
        "1u",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "1.00000000000001Ei",
        "0e99",
        "0Ki",
        ".Gi",
        ".n",
        "1,5",
        "1e3k",
        "1m5",
        "+5",
        "--5",
        "1..5",
        "1.5.5",
        "NaN",
        "inf",
        "7.999999999999999999999999Ei",
        "0.333333333333333333333333Gi",
        "100E",
        "123456789.123456789",
    };
    static constexpr std::string_view kSuffixes[] = {
        "",   "",   "n",  "u",  "m",  "k",  "M",   "G",   "T",   "P",    "E",   "Ki", "Mi",
        "Gi", "Ti", "Pi", "Ei", "e0", "e3", "E-3", "e+6", "e-9", "e-12", "e10", "x",  "K",
    };
    if (below(6) == 0) return std::string(kEdges[below(std::size(kEdges))]);
    std::string result = below(4) == 0 ? "-" : "";
    result += digits(9);
    if (below(2) == 0) result += "." + digits(14);
    return result.append(kSuffixes[below(std::size(kSuffixes))]);
  }

  std::int64_t factor() { return static_cast<std::int64_t>(below(2000)) - 200; }

  std::uint64_t state_ = 20260101;
};

std::string text_or_dash(const std::optional<Quantity>& quantity) {
  return quantity ? quantity->text() : "-";
}

/// Kubernetes' `Value()` overflows silently and rounds some negative amounts the wrong way.
std::string whole_units(const Quantity& a) {
  const auto units = a.whole_units();
  return units && !a.is_negative() ? std::to_string(*units) : "-";
}

std::vector<std::string> answer(const Question& question) {
  const auto a = Quantity::parse(question.left);
  const auto b = Quantity::parse(question.right);
  if (!a || !b) return {"error"};
  const int order = *a < *b ? -1 : *a > *b ? 1 : 0;
  return {a->text(),
          b->text(),
          std::to_string(order),
          text_or_dash(add(*a, *b)),
          text_or_dash(multiply(*a, question.factor)),
          whole_units(*a)};
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> result(1);
  for (char c : line) {
    if (c == '\t') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

/// Beyond our range, or in thousands of `E`, for which Kubernetes prints no suffix at all.
bool not_comparable(const std::string& ours) {
  return ours == "-" || ours.ends_with("000E");
}

bool agree(const std::vector<std::string>& ours, const std::vector<std::string>& theirs) {
  if (ours.size() != theirs.size()) return false;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i] != theirs[i] && !not_comparable(ours[i])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("quantities are read, compared, added, multiplied and printed as Kubernetes does",
          "[go]") {
  const Oracle go = go_oracle("quantity");
  if (!go.missing.empty()) SKIP(go.missing);
  QuestionGenerator generator;
  std::vector<Question> questions;
  std::string input;
  for (int i = 0; i < 60'000; ++i) {
    Question question = generator.next();
    input += question.left + '\t' + question.right + '\t' + std::to_string(question.factor) + '\n';
    questions.push_back(std::move(question));
  }
  const std::vector<std::string> answers = ask(go, "quantity-go", input);
  REQUIRE(answers.size() == questions.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < answers.size() && wrong < 10; ++i) {
    const std::vector<std::string> ours = answer(questions[i]);
    if (agree(ours, fields(answers[i]))) continue;
    ++wrong;
    INFO(questions[i].left << " , " << questions[i].right << " , " << questions[i].factor);
    CHECK(ours == fields(answers[i]));
  }
  CHECK(wrong == 0);
}
