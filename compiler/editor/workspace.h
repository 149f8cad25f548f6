#pragma once

#include <functional>
#include <string>
#include <vector>

#include "driver/session/session.h"
#include "driver/validate/validate.h"
#include "editor/open_documents.h"

namespace trainyard {

/// What all requests of one client share.
struct Workspace {
  explicit Workspace(FileSystem& disk) : documents(disk) {}

  OpenDocuments documents;
  PositionUnit unit = PositionUnit::Utf16;
  std::vector<std::string> folders;  // that the client has open
  std::string cluster;               // of the client's settings; "" for none
  /// Gives a session the settings of the config file for the inputs of a request, as the commands
  /// do.
  std::function<void(Session&, ValidateRequest&)> prepare;
};

/// The name under which the Cluster of a folder is found.
inline constexpr std::string_view kClusterName = "cluster.yaml";

/// One run of the compiler for one document, from the beginning: no result of another run counts.
/// Its Cluster is the first of these: that of the config file, that of the client's settings, the
/// one that the nearest `fleet.yaml` lists the document for, and the nearest `cluster.yaml` that
/// holds a Cluster.
struct EditorRun {
  EditorRun(Workspace& workspace, const std::string& path);
  EditorRun(const EditorRun&) = delete;

  Env env;
  Session session;
  ValidateRequest request;

  /// The file of a path that was read; kNoFile for none.
  FileId file_of(const std::string& path) const;

 private:
  void take_from_fleet(const std::string& path);
};

}  // namespace trainyard
