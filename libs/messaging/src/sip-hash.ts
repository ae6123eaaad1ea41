export type SipKey = Int32Array;

const LENGTH = 8 << 24;

const carryOf = (sum: number, term: number): number => (sum >>> 0 < term >>> 0 ? 1 : 0);

/** SipHash-2-4: a call to node's crypto takes several times as long. */
export function sipHash(key: SipKey, low: number, high: number): number {
  let v0 = key[0]! ^ 0x70736575;
  let w0 = key[1]! ^ 0x736f6d65;
  let v1 = key[2]! ^ 0x6e646f6d;
  let w1 = key[3]! ^ 0x646f7261;
  let v2 = key[0]! ^ 0x6e657261;
  let w2 = key[1]! ^ 0x6c796765;
  let v3 = key[2]! ^ 0x79746573 ^ low;
  let w3 = key[3]! ^ 0x74656462 ^ high;
  for (let round = 0; round < 8; round++) {
    if (round === 2) {
      v0 ^= low;
      w0 ^= high;
      w3 ^= LENGTH;
    } else if (round === 4) {
      w0 ^= LENGTH;
      v2 ^= 0xff;
    }
    let t = v0;
    v0 = (v0 + v1) | 0;
    w0 = (w0 + w1 + carryOf(v0, t)) | 0;
    t = v1;
    v1 = ((v1 << 13) | (w1 >>> 19)) ^ v0;
    w1 = ((w1 << 13) | (t >>> 19)) ^ w0;
    t = v0;
    v0 = w0;
    w0 = t;
    t = v2;
    v2 = (v2 + v3) | 0;
    w2 = (w2 + w3 + carryOf(v2, t)) | 0;
    t = v3;
    v3 = ((v3 << 16) | (w3 >>> 16)) ^ v2;
    w3 = ((w3 << 16) | (t >>> 16)) ^ w2;
    t = v0;
    v0 = (v0 + v3) | 0;
    w0 = (w0 + w3 + carryOf(v0, t)) | 0;
    t = v3;
    v3 = ((v3 << 21) | (w3 >>> 11)) ^ v0;
    w3 = ((w3 << 21) | (t >>> 11)) ^ w0;
    t = v2;
    v2 = (v2 + v1) | 0;
    w2 = (w2 + w1 + carryOf(v2, t)) | 0;
    t = v1;
    v1 = ((v1 << 17) | (w1 >>> 15)) ^ v2;
    w1 = ((w1 << 17) | (t >>> 15)) ^ w2;
    t = v2;
    v2 = w2;
    w2 = t;
  }
  return (v0 ^ v1 ^ v2 ^ v3) >>> 0;
}
