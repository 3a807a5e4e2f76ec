/** Carries messages in order, each exactly once, also when the connection below breaks and comes back. */
export interface Channel {
  /**
   * Sends one message, given in parts that must not change. Resolves when there is room for more (back-pressure). Rejects
   * when the channel has ended.
   */
  send(...parts: readonly Uint8Array[]): Promise<void>;
  /** Ends when the other side has closed; throws when the channel is lost for good. Read by one reader. */
  readonly messages: AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}
