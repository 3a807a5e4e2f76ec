/** A client that shows one MCP App at a time, for tests. It runs in the browser. */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

let bridge;
const calledTools = [];

async function showView(html) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.title = "View";
  frame.setAttribute("sandbox", "allow-scripts");
  document.body.append(frame);
  const context = { hostContext: { theme: "dark" } };
  bridge = new AppBridge(null, { name: "host", version: "1" }, { serverTools: {} }, context);
  bridge.oncalltool = async ({ name }) => {
    calledTools.push(name);
    return { content: [] };
  };
  const initialized = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  const view = frame.contentWindow;
  await bridge.connect(new PostMessageTransport(view, view));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: { path: "notes.md" } });
}

Object.assign(globalThis, { showView, calledTools, sendResult: (result) => bridge.sendToolResult(result) });
