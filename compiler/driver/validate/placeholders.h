#pragma once

#include <string_view>

namespace trainyard {

// Signs that a text is no value yet: a program fills it in, or the reader.

/// Whether a program fills in a place of the text: Helm, Jinja, a shell, envsubst, Flux, sed.
bool has_placeholder(std::string_view text);
/// `{{ name }}` of Go, Jinja and others, and statements of Jinja, anywhere in the text.
bool has_engine(std::string_view text);
/// `{user}/image`, of Python's `format` or for the reader.
bool has_name_in_braces(std::string_view text);
/// `<CLUSTER_NAME>`
bool has_name_in_signs(std::string_view text);

/// Words that tell the reader to write something else there: `YOUR_TOKEN`, `replace-me`,
/// `enterYourToken==`, `Filled by the installer`. A name that is right may have them too.
bool has_word_for_reader(std::string_view text);
/// The same, so loud that it says so of the whole file: `YOUR_TOKEN`, `FILLED BY`.
bool has_capitals_for_reader(std::string_view text);
/// `# change this to your queue`: the same for a comment behind a value.
bool asks_for_change(std::string_view comment);
/// `IMAGE_NAME`, also with a tag.
bool is_in_capitals(std::string_view text);
/// `a-POOL_NAME`: a part of a name that has its like nowhere in names; in templates `a-NAME`, too.
bool has_part_in_capitals(std::string_view text, bool plain_word_counts);
/// `_`, `***`, `••••`, `xxxx`: one sign over and over, in place of a name or of what is secret.
bool is_mask(std::string_view text);
/// `Filled by the installer`: no name or image has blanks; three words are for the reader.
bool is_sentence(std::string_view text);

}  // namespace trainyard
