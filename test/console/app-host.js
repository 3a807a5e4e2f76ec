/** A client that shows one MCP App at a time, for tests: what the view needs of the protocol. It runs in the browser. */
let view;
let markInitialized;
const calledTools = [];

addEventListener("message", ({ source, data: { id, method, params } }) => {
  if (source !== view) return;
  if (method === "ui/initialize") answer(id, { ...host, protocolVersion: params.protocolVersion });
  else if (method === "ui/notifications/initialized") markInitialized();
  else if (method === "tools/call") {
    calledTools.push(params.name);
    answer(id, { content: [] });
  }
});

const host = {
  hostInfo: { name: "host", version: "1" },
  hostCapabilities: { serverTools: {} },
  hostContext: { theme: "dark" },
};

async function showView(html) {
  document.querySelector("iframe")?.remove();
  const frame = document.createElement("iframe");
  frame.title = "View";
  frame.setAttribute("sandbox", "allow-scripts");
  document.body.append(frame);
  const initialized = new Promise((resolve) => {
    markInitialized = resolve;
  });
  view = frame.contentWindow;
  frame.srcdoc = html;
  await initialized;
  notify("ui/notifications/tool-input", { arguments: { path: "notes.md" } });
}

function answer(id, result) {
  view.postMessage({ jsonrpc: "2.0", id, result }, "*");
}

function notify(method, params) {
  view.postMessage({ jsonrpc: "2.0", method, params }, "*");
}

Object.assign(globalThis, {
  showView,
  calledTools,
  sendResult: (result) => notify("ui/notifications/tool-result", result),
});
