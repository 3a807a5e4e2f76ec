/**
 * Who stops a reply, perhaps when all words have come but not yet the end, hands back the words that were shown, bare, and
 * tells the model so with what the person says next.
 */
export function mayBeStopped(reply: { readonly isBareText: boolean }, next: string | undefined): boolean {
  return reply.isBareText && next !== undefined && /\bstopped\b/.test(next);
}
