import { commands, ExtensionContext, window, workspace } from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  const settings = workspace.getConfiguration("trainyard");
  const program = settings.get<string>("path", "trainyard");
  const server: ServerOptions = { command: program, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [
      { scheme: "file", language: "yaml" },
      { scheme: "untitled", language: "yaml" },
      { scheme: "file", language: "json" },
    ],
    initializationOptions: { cluster: settings.get<string>("cluster", "") },
    synchronize: { configurationSection: "trainyard" },
  };
  client = new LanguageClient("trainyard", "Trainyard", server, options);
  try {
    await client.start();
  } catch {
    void offerSettings(program); // the client has shown the reason
  }
}

async function offerSettings(program: string): Promise<void> {
  const open = "Open settings";
  const chosen = await window.showErrorMessage(`Cannot start "${program}". Set "trainyard.path" to the program.`, open);
  if (chosen === open) await commands.executeCommand("workbench.action.openSettings", "trainyard.path");
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("trainyard.restart", restart),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("trainyard.path")) await restart();
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
