/** The result of a call, as this view needs it. */
export interface ShownResult {
  readonly isError: boolean;
  readonly text: string;
  /** A unified diff of the changes; "" without any. */
  readonly diff: string;
}

interface HostEvents {
  onTheme(theme: "light" | "dark"): void;
  onResult(result: ShownResult): void;
  onCancel(): void;
}

/**
 * Receives what the client sends to the view that it shows, by the protocol of MCP Apps. The view never calls a tool:
 * nothing proves that a user, and not the page or a model, has asked for it.
 */
export function connectHost({ onTheme, onResult, onCancel }: HostEvents): void {
  const send = (message: object) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const useTheme = (context: unknown) => {
    const { theme } = asRecord(context);
    if (theme === "light" || theme === "dark") onTheme(theme);
  };
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    const { id, method, params, result } = asRecord(data);
    if (method === undefined && id === initializeId) {
      useTheme(asRecord(result)["hostContext"]);
      send({ method: "ui/notifications/initialized", params: {} });
      reportSize(send);
    } else if (method === "ui/notifications/tool-result") onResult(toShown(asRecord(params)));
    else if (method === "ui/notifications/tool-cancelled") onCancel();
    else if (method === "ui/notifications/host-context-changed") useTheme(params);
    else if (method === "ping" || method === "ui/resource-teardown") send({ id, result: {} });
  });
  send({
    id: initializeId,
    method: "ui/initialize",
    params: {
      protocolVersion: "2026-01-26",
      appInfo: { name: "toolcrib-changes", version: "1" },
      appCapabilities: {},
    },
  });
}

const initializeId = 1;

/** Tells the client how high the view is, also when it changes. */
function reportSize(send: (message: object) => void): void {
  const { body } = document;
  new ResizeObserver(() => {
    const params = { width: body.scrollWidth, height: body.scrollHeight };
    send({ method: "ui/notifications/size-changed", params });
  }).observe(body);
}

function toShown({ content, isError, _meta }: Readonly<Record<string, unknown>>): ShownResult {
  const blocks = Array.isArray(content) ? content.map(asRecord) : [];
  const texts = blocks.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const diff = asRecord(_meta)["toolcrib/diff"];
  return { isError: isError === true, text: texts.join("\n"), diff: typeof diff === "string" ? diff : "" };
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
