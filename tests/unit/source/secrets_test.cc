#include "source/secrets.h"

#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <string>

using namespace trainyard;

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

TEST_CASE("a private key is a secret up to its last line") {
  const std::string key = "-----BEGIN RSA PRIVATE KEY-----\n  abc\n  -----END RSA PRIVATE KEY-----";
  CHECK(masked("k: |\n  " + key + "\nb: 1\n") == "k: |\n  *\nb: 1\n");
  CHECK(masked("-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n" + key + "\n") ==
        "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n*\n");
  CHECK(masked("-----BEGIN PRIVATE KEY-----\nabc") == "*");
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
  const auto fill = [](std::string_view unit) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    return text;
  };
  for (const char* unit :
       {"token: ", "token: $( ", "token: | ", "token: \"", "--token ", "{[", "://a:b",
        "-----BEGIN ", "eyJ", "a.", "name: API_KEY ", "token=$(\n", "AKIA"}) {
    const std::string text = fill(unit);
    const auto start = std::chrono::steady_clock::now();
    find_secrets(text);
    INFO(unit);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  }
}
