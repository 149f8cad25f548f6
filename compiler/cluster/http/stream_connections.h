#pragma once

#include <algorithm>
#include <cstdint>

namespace trainyard {

/// How many connections streams need. The first have one each; more share connections, if the
/// server speaks HTTP/2, which a probe tells.
class StreamConnections {
 public:
  /// A server without TLS speaks HTTP/1.1.
  explicit StreamConnections(bool has_tls)
      : sharing_(has_tls ? Sharing::Unknown : Sharing::Fails) {}

  /// Whether one more stream has to wait for the probe, and whether that is still to be sent.
  bool awaits_probe() const {
    return own_ + shared_ >= kOwn && (needs_probe() || sharing_ == Sharing::Asked);
  }
  bool needs_probe() const { return sharing_ == Sharing::Unknown; }
  void note_probe() { sharing_ = Sharing::Asked; }
  /// What the probe came to. Without an answer it ends, too.
  void end_probe(bool shares) {
    if (sharing_ == Sharing::Asked) sharing_ = shares ? Sharing::Works : Sharing::Fails;
  }
  bool shares() const { return sharing_ == Sharing::Works; }

  void add(bool is_shared, long streams) { (is_shared ? shared_ : own_) += streams; }
  bool has_shared() const { return shared_ > 0; }
  /// Whether so many streams wait in vain: the server takes fewer on a connection than we think.
  /// Then twice as many connections are allowed.
  bool are_stuck(long waiting) {
    const bool are = waiting_ > 0 && waiting >= waiting_;
    if (are) spare_ += shared();
    waiting_ = waiting;
    return are;
  }
  /// Connections for streams that have one each, and for those that share some.
  long single() const { return own_; }
  long shared() const { return std::max((shared_ + kOnOne - 1) / kOnOne + spare_, 1L); }

 private:
  enum class Sharing : std::uint8_t { Unknown, Asked, Works, Fails };
  static constexpr long kOwn = 8;
  // An API server takes 100 (kubernetes/kubernetes
  // staging/src/k8s.io/apiserver/pkg/server/secure_serving.go); a proxy in between may take fewer.
  static constexpr long kOnOne = 50;

  Sharing sharing_;
  long own_ = 0;
  long shared_ = 0;
  long spare_ = 0;
  long waiting_ = 0;  // when they were counted last
};

}  // namespace trainyard
