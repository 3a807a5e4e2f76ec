import { connect } from "node:net";

export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Whether somebody accepts connections there. */
export function isListening({ host, port }: Place): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerMs });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.once("error", () => end(false));
  });
}

/** Whether a GET is answered there with a status below 500; redirects count as answers and are not followed. */
export async function answersBelow500(
  target: URL,
  { host, port }: Place,
  signal: AbortSignal,
): Promise<boolean> {
  const { get } = target.protocol === "https:" ? await import("node:https") : await import("node:http");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  return new Promise((resolve) => {
    const request = get(
      {
        host,
        port,
        path: target.pathname + target.search,
        headers: { host: target.host, accept: "*/*" },
        agent: false,
        // Servers of developers sign their certificates themselves, and this leads to none but the process.
        rejectUnauthorized: false,
        signal: limit,
      },
      (response) => {
        response.destroy();
        resolve((response.statusCode ?? 500) < 500);
      },
    );
    request.once("error", () => resolve(false));
  });
}

const answerMs = 5_000;
