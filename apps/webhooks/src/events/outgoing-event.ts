export interface OutgoingEvent {
  readonly uuid: string;
  readonly applicationCode: string;
  readonly hwid: string;
  readonly bytes: Uint8Array;
}
