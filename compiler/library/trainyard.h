/* Trainyard in a program of your own: the commands of `trainyard`, from memory to memory.
 *
 * A call gets words, as on the command line, and the files that they name. Nothing else is read or
 * written: no file of the machine, no network, no environment. Texts are UTF-8. Calls may run in
 * several threads at once, and share nothing. */
#ifndef TRAINYARD_H
#define TRAINYARD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRAINYARD_API __attribute__((visibility("default")))

/* Raised when a function of this header changes or goes; a new one leaves it. */
#define TRAINYARD_API_VERSION 1

/* A file in memory. Paths are relative, or begin with `/`, which is the same place. */
typedef struct trainyard_file {
  const char* path;
  const char* text;
  size_t size; /* bytes of `text` */
} trainyard_file;

/* What a call gave. Texts in it end with a NUL, and live until trainyard_free. */
typedef struct trainyard_result trainyard_result;

/* The release, `0.1.0`, and the API version of the library that is loaded. */
TRAINYARD_API const char* trainyard_version(void);
TRAINYARD_API int trainyard_api_version(void);

/* Runs a command: `words` are those behind `trainyard`, for instance
 *
 *   build job.yaml -c cluster.yaml --output json
 *
 * Commands: build, convert, doctor, explain, fmt, graph, list, render, schema export, validate,
 * why. Null only where memory ran out. */
TRAINYARD_API trainyard_result* trainyard_run(const char* const* words, size_t word_count,
                                              const trainyard_file* files, size_t file_count);

/* The same for one text, with `--output json`. `cluster` is the text of a Cluster document, or
 * null. Diagnostics name the texts `spec.yaml`, `manifests.yaml` and `cluster.yaml`. `options` are
 * more words, or null. */
TRAINYARD_API trainyard_result* trainyard_build(const char* spec, const char* cluster,
                                                const char* const* options, size_t option_count);
TRAINYARD_API trainyard_result* trainyard_validate(const char* manifests, const char* cluster,
                                                   const char* const* options, size_t option_count);
/* A field, a rule, a check or another word that `trainyard explain` takes. */
TRAINYARD_API trainyard_result* trainyard_explain(const char* subject, const char* const* options,
                                                  size_t option_count);

/* 0 for success, 1 where the input is wrong; docs/exit-codes.md has the others. */
TRAINYARD_API int trainyard_exit_code(const trainyard_result* result);
/* What the command prints: JSON with `--output json`, whose form `trainyard schema export Report`
 * shows. */
TRAINYARD_API const char* trainyard_output(const trainyard_result* result);
TRAINYARD_API size_t trainyard_output_size(const trainyard_result* result);
/* What it says beside that: a mistake in the words, or diagnostics as text. */
TRAINYARD_API const char* trainyard_message(const trainyard_result* result);
/* The files that it wrote, as with `-o DIR`, in the order of their paths. */
TRAINYARD_API size_t trainyard_written_count(const trainyard_result* result);
TRAINYARD_API trainyard_file trainyard_written(const trainyard_result* result, size_t index);

/* Null is allowed. */
TRAINYARD_API void trainyard_free(trainyard_result* result);

#ifdef __cplusplus
}
#endif

#endif
