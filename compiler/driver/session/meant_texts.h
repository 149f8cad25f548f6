#pragma once

#include <string>
#include <string_view>

namespace trainyard {

// What the author of a text very likely meant, as YAML on one line; "" for no guess.

/// What YAML reads as a text without quotes, to be on the safe side.
bool is_plain_word(std::string_view text);

/// A text as a scalar, in quotes where that is safer.
std::string yaml_word(std::string_view text);

/// The words of a command line.
std::string meant_list(std::string_view line);

/// `python a.py --lr 0.1`, `python -m a`, or any other line.
std::string meant_run(std::string_view line);

/// Addresses as TAO writes them: NVIDIA-TAO nvidia-tao-sdk, `hf_model://` and `hf_dataset://`.
std::string meant_address(std::string_view text);

/// `s3:/bucket` with both of its slashes.
std::string meant_url(std::string_view text);

/// `verl/trainer/main_ppo.py` as `verl.trainer.main_ppo`.
std::string meant_module(std::string_view text);

/// `mig-1g.10gb` and `1g10gb` as `1g.10gb`.
std::string meant_profile(std::string_view text);

/// `models/qwen` and `./models/qwen` below the root.
std::string meant_absolute(std::string_view text);

/// `torch=2.1` as pip wants it, `torch==2.1`; `torch=>2.1` as `torch>=2.1`.
std::string meant_requirement(std::string_view text);

/// `hugging-face/token`, a Secret and its key.
std::string meant_secret(std::string_view text);

/// `server:/path` of mount.
std::string meant_export(std::string_view text);

/// A length of time as other tools write it.
std::string meant_duration(std::string_view text);

/// The label of a GPU that people call by its short name: NVIDIA/gpu-feature-discovery.
std::string meant_gpu(std::string_view name);

/// `3 days` as `3d`, `1 hour 30 minutes` as `1h30m`.
std::string meant_time(std::string_view text);

/// `64 cores` as `64`.
std::string meant_amount(std::string_view text);

}  // namespace trainyard
