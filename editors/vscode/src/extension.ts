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
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await window.showErrorMessage(`Cannot start \`${program} lsp\`: ${reason}. Set "trainyard.path" to the program.`);
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  if (running?.isRunning()) await running.stop();
}

export async function activate(context: ExtensionContext): Promise<void> {
  context.subscriptions.push(
    commands.registerCommand("trainyard.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

export function deactivate(): Promise<void> {
  return stop();
}
