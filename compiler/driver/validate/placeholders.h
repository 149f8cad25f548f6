#pragma once

#include <string_view>

namespace trainyard {

// Signs that a text of a manifest is none of its own: another program fills it in, or the reader.

/// Whether a text has a place that another program fills in.
bool has_placeholder(std::string_view text);

/// `{{ name }}` of Go, Jinja and others, and statements of Jinja.
bool is_of_engine(std::string_view rest);
/// Words that say that another one comes here.
bool is_word_for_another(std::string_view rest);
/// `_`, `***`, `••••`, `xxxx`: one sign over and over, in place of a name or of what is secret.
bool is_mask(std::string_view text);
/// `{name}` and nothing else, which Python's `format` fills in.
bool is_name_in_braces(std::string_view text);
/// `IMAGE_NAME`, also with a tag.
bool is_in_capitals(std::string_view text);
/// `a-POOL_NAME`: a part of a name that has its like nowhere in names; in templates `a-NAME`, too.
bool has_part_in_capitals(std::string_view text, bool plain_word_counts);
/// `Filled by the installer`: no name or image has blanks; three words are for the reader.
bool is_sentence(std::string_view text);
bool says_only(std::string_view text, std::string_view word);
/// `Replace_this`, `enterYourToken==`: words for the reader, where the text has a form of its own.
bool has_word_for_reader(std::string_view text);
bool has_underscore(std::string_view text);
/// `template.yaml`, `app-template.yaml`, `job.tmpl.yaml`, `job.tftpl.yaml`.
bool is_named_as_template(std::string_view path);
/// `_team_template/role.yaml`
bool is_below_templates(std::string_view path);
/// A line `name:` with nothing behind it.
bool has_empty_name(std::string_view text);
/// Samples and inputs of tests: what is written there is for no cluster, and each file stands for
/// itself.
bool is_of_samples(std::string_view path);
bool has_word_for_another(std::string_view text);
/// `<CLUSTER_NAME>`
bool has_name_in_signs(std::string_view text);
/// `{user}/image`, of Python's `format` or for the reader.
bool has_name_in_braces(std::string_view text);

}  // namespace trainyard
