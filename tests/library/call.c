/* Calls libtrainyard as a program in C does. Prints each fault, and ends with 1 if there is one. */
#include <stdio.h>
#include <string.h>

#include "library/trainyard.h"

static int faults = 0;

static void must(int holds, const char *what) {
  if (holds) return;
  printf("%s\n", what);
  ++faults;
}

static const char kSpec[] =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: alpha}\n"
    "spec:\n"
    "  image: registry.example.com/ml/train:1.4\n"
    "  framework: pytorch\n"
    "  nodes: 2\n"
    "  gpusPerNode: 8\n"
    "  run: {script: /app/train.py}\n";
static const char kCluster[] =
    "apiVersion: trainyard/v1alpha1\n"
    "kind: Cluster\n"
    "metadata: {name: a}\n"
    "spec: {kubernetes: \"1.31\"}\n";

static void specs_are_built(void) {
  trainyard_result *made = trainyard_build(kSpec, kCluster, NULL, 0);
  must(made != NULL && trainyard_exit_code(made) == 0, "a good spec is built");
  must(strstr(trainyard_output(made), "\"manifests\"") != NULL, "its JSON has the manifests");
  must(strstr(trainyard_output(made), "no Cluster was named") == NULL, "the Cluster counts");
  must(strlen(trainyard_output(made)) == trainyard_output_size(made), "the size is that of the text");
  trainyard_free(made);
}

static void mistakes_are_told(void) {
  static const char kBroken[] = "apiVersion: trainyard/v1alpha1\nkind: TrainingJob\nmetadata: {name: A}\nspec: {nodes: many}\n";
  trainyard_result *refused = trainyard_build(kBroken, NULL, NULL, 0);
  must(trainyard_exit_code(refused) == 1, "a wrong spec is refused");
  must(strstr(trainyard_output(refused), "\"file\": \"spec.yaml\"") != NULL, "its diagnostics have places");
  trainyard_free(refused);

  const char *options[] = {"--no-such-option"};
  refused = trainyard_build(kSpec, NULL, options, 1);
  must(trainyard_exit_code(refused) == 2, "an unknown option is a wrong call");
  must(strstr(trainyard_message(refused), "--no-such-option") != NULL, "the message names it");
  trainyard_free(refused);
}

static void other_commands_run(void) {
  trainyard_result *checked = trainyard_validate("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n", NULL, NULL, 0);
  must(trainyard_exit_code(checked) == 1, "a Job without a spec is refused");
  trainyard_free(checked);

  trainyard_result *told = trainyard_explain("spec.nodes", NULL, 0);
  must(trainyard_exit_code(told) == 0 && strchr(trainyard_output(told), '{') != NULL, "a field is explained in JSON");
  trainyard_free(told);

  const char *words[] = {"build", "specs", "-o", "out"};
  const trainyard_file files[] = {{"specs/a.yaml", kSpec, sizeof kSpec - 1}};
  trainyard_result *written = trainyard_run(words, 4, files, 1);
  must(trainyard_exit_code(written) == 0 && trainyard_written_count(written) >= 1, "files that it writes are in the result");
  for (size_t at = 0; at < trainyard_written_count(written); ++at) {
    const trainyard_file file = trainyard_written(written, at);
    must(strncmp(file.path, "out/", 4) == 0 && file.size > 0, "they lie where they were asked for");
  }
  must(trainyard_written(written, 1000).path == NULL, "there are no others");
  trainyard_free(written);

  const char *unknown[] = {"promote"};
  trainyard_result *refused = trainyard_run(unknown, 1, NULL, 0);
  must(trainyard_exit_code(refused) == 2 && strstr(trainyard_message(refused), "`validate`") != NULL,
       "a command that needs more than files is refused, with those that do not");
  trainyard_free(refused);
  refused = trainyard_run(NULL, 0, NULL, 0);
  must(trainyard_exit_code(refused) == 2, "no words are a wrong call");
  trainyard_free(refused);
  trainyard_free(NULL);
}

static void the_machine_is_not_read(void) {
  const char *words[] = {"validate", "/etc/hostname"};
  trainyard_result *none = trainyard_run(words, 2, NULL, 0);
  must(trainyard_exit_code(none) != 0, "files of the machine are not there");
  trainyard_free(none);
}

int main(void) {
  must(trainyard_api_version() == TRAINYARD_API_VERSION, "header and library are of one API version");
  must(strchr(trainyard_version(), '.') != NULL, "the library has a version");
  specs_are_built();
  mistakes_are_told();
  other_commands_run();
  the_machine_is_not_read();
  printf("%d faults\n", faults);
  return faults == 0 ? 0 : 1;
}
