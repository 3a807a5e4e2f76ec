/**
 * A reply can be interrupted after all of its text has come, but before its end. Then the session sends back the text that was
 * shown, without metadata, followed by a notice that the turn was interrupted.
 */
export function mayBeStopped(reply: { readonly isBareText: boolean }, next: string | undefined): boolean {
  return reply.isBareText && next !== undefined && /\binterrupted\b/.test(next);
}
