export const Frame = {
  Data: 0,
  Headers: 1,
  RstStream: 3,
  Settings: 4,
  PushPromise: 5,
  Ping: 6,
  GoAway: 7,
  WindowUpdate: 8,
  Continuation: 9,
} as const;
export const Flag = { EndStream: 1, Ack: 1, EndHeaders: 4, Padded: 8, Priority: 32 } as const;
export const Setting = {
  HeaderTableSize: 1,
  EnablePush: 2,
  MaxConcurrentStreams: 3,
  InitialWindowSize: 4,
  MaxFrameSize: 5,
} as const;
export const REFUSED_STREAM = 7;
export const CANCEL = 8;

export const HEADER_BYTES = 9;
export const FRAME_MAX = 16_384;

export function settingsPayload(settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * 6);
  settings.forEach(([id, value], i) => payload.writeUInt32BE(value, payload.writeUInt16BE(id, i * 6)));
  return payload;
}
