import type { SessionAction, SessionAnswer, SessionDetail } from "../api.ts";
import { post } from "./request.ts";
import { href, navigate } from "./router.ts";
import { toastError } from "./store.ts";

/** Returns null after a failure, which the user has seen. */
export async function act(
  session: SessionDetail,
  action: Omit<SessionAction, "workspace" | "session">,
): Promise<SessionAnswer | null> {
  try {
    return await post<SessionAnswer, SessionAction>("/api/sessions/act", {
      workspace: session.workspace,
      session: session.session,
      ...action,
    });
  } catch (error) {
    toastError(error);
    return null;
  }
}

/** Opens a new session with the conversation up to a turn. Default: the last. */
export async function fork(session: SessionDetail, turn?: number): Promise<void> {
  const answer = await act(session, { action: "fork", turn });
  if (answer !== null) navigate(href("sessions", { workspace: answer.workspace, id: answer.session }));
}
