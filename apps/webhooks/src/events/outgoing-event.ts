/** An event as links send it. */
export interface OutgoingEvent {
  readonly uuid: string;
  readonly applicationCode: string;
  readonly hwid: string;
  /** The event as an encoded WebhookRequest. They are never overwritten. */
  readonly bytes: Uint8Array;
}
