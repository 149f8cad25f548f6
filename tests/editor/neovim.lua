-- Neovim's built-in client against the server, as docs/editor.md sets it up. Writes what it saw into $LOG.
local folder, log = os.getenv("FOLDER"), io.open(os.getenv("LOG"), "w")

local function check(holds, what)
  log:write((holds and "ok: " or "FAILED: ") .. what .. "\n")
  if not holds then
    log:close()
    vim.cmd("cquit 1")
  end
end
local function write(name, lines)
  vim.fn.writefile(lines, folder .. "/" .. name)
end
local function wait(what, holds)
  check(vim.wait(20000, holds, 20), what)
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params or vim.lsp.util.make_position_params(0, "utf-16"), 20000)
  for _, each in pairs(answers or {}) do return each.result end
end
local function clients()
  return vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.tbl_values(vim.lsp.buf_get_clients(0))
end

vim.fn.mkdir(folder .. "/.git")
write("cluster.yaml", {
  "apiVersion: trainyard/v1alpha1", "kind: Cluster", "metadata: {name: gke}", "spec:", "  pools:",
  "    - name: a3-mega", "      machine: a3-megagpu-8g", "      count: 16",
  "      network: {fabric: none}" })
write("job.yaml", {
  "apiVersion: trainyard/v1alpha1", "kind: TrainingJob", "metadata: {name: llama}", "spec:", "  security: {level: baseline}",
  "  image: registry.example/train:1.0", "  run: {script: train.py}", "  node: 2", "  pool: a3-mega" })

vim.cmd("edit " .. folder .. "/job.yaml")

wait("a mistake is shown", function() return #vim.diagnostic.get(0) == 1 end)
local found = vim.diagnostic.get(0)[1]
check(found.lnum == 7 and found.col == 2, "at its line and column")
check(found.source == "trainyard", "by trainyard")

vim.bo.filetype = "yaml"  -- again

vim.api.nvim_win_set_cursor(0, { 8, 3 })
local range = vim.lsp.util.make_range_params(0, "utf-16")
range.context = { diagnostics = {} }
local actions = ask("textDocument/codeAction", range)
check(actions and actions[1] and actions[1].title == "write `nodes`", "a quick fix is offered")
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
check(vim.fn.getline(8) == "  nodes: 2", "the quick fix is applied")
wait("the mistake is gone", function() return #vim.diagnostic.get(0) == 0 end)

vim.api.nvim_win_set_cursor(0, { 8, 3 })
check(ask("textDocument/hover").contents.value:find("spec.nodes", 1, true), "hover explains the field")
vim.api.nvim_win_set_cursor(0, { 9, 10 })
check(ask("textDocument/definition")[1].uri:find("cluster.yaml", 1, true), "the definition of a pool is in the Cluster")
vim.fn.setline(9, "  pool: ")
vim.api.nvim_win_set_cursor(0, { 9, 8 })
local params = vim.lsp.util.make_position_params(0, "utf-16")
params.position.character = 8
local offered = ask("textDocument/completion", params)
check(offered.items[1].label == "a3-mega", "the pool is offered")
check(#ask("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params() }) == 1, "symbols")

-- A keystroke after the other, up to a half-typed flow map.
for _, line in ipairs({ "  e", "  env", "  env: {", "  env: {A", "  env: {A: " }) do vim.fn.setline(9, line) end
wait("half-typed text is a mistake", function() return #vim.diagnostic.get(0) > 0 end)
vim.fn.setline(9, "  pool: a3-mega")
wait("and none when it is whole", function() return #vim.diagnostic.get(0) == 0 end)

check(#clients() == 1, "a file whose type is set twice has one client")

vim.lsp.stop_client(clients())
log:write("all is well\n")
log:close()
vim.cmd("qall!")
