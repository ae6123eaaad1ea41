import { type Audience, type Expression, type Offsets, Operator, TagType } from '@tidings/events';
import type { DeviceDocument } from '../devices/device-document.ts';

export const APP = 'AAAAA-BBBBB';
export const device = (seq: number, over: Partial<DeviceDocument> = {}): DeviceDocument => ({
  _id: `${APP}:${String(seq).padStart(22, 'A')}`,
  rev: 1,
  account: 'a',
  app: APP,
  hwidHash: String(seq).padStart(22, 'A'),
  seq,
  status: 1,
  hwid: `hwid-${seq}`,
  platform: seq % 3 === 0 ? 3 : 1,
  token: `token-${seq}`,
  user: 'u',
  lang: 'en',
  cg: 0,
  tags: [{ k: 70, v: seq % 2 }],
  owners: [],
  createdAt: 0,
  ...over,
});

export const even: Expression = {
  node: {
    $case: 'tag',
    value: {
      tag: 70,
      type: TagType.TAG_TYPE_INTEGER,
      operator: Operator.OPERATOR_EQ,
      operands: [{ value: { $case: 'number', value: 0 } }],
      application: '',
    },
  },
};

export const selection = (expression?: Expression): Audience => ({
  target: { $case: 'selection', value: { expression, circle: undefined, activity: '', bySiblings: false } },
  platforms: [],
});
export const named = (...seqs: number[]): Audience => ({
  target: { $case: 'named', value: { seqs, byApplication: [] } },
  platforms: [],
});

export const around = (...hours: number[]): Offsets => ({
  ranges: hours.map((each) => ({ from: each * 3_600 - 30, to: each * 3_600 + 29 })),
  without: false,
});

export const taggedDevice = (app: string, seq: number): DeviceDocument => ({
  _id: `${app}:${String(seq).padStart(22, 'x')}`,
  rev: 1,
  account: 'a',
  app,
  hwidHash: String(seq).padStart(22, 'x'),
  seq,
  status: 1,
  hwid: `hwid-${seq}`,
  platform: seq % 3 === 0 ? 3 : 1,
  token: String(seq).padStart(64, 'f'),
  user: 'u',
  lang: ['en', 'de', 'fr'][seq % 3]!,
  tz: 3600,
  cg: seq % 10_000,
  tags: [
    { k: 70, v: seq % 100 },
    { k: 71, v: `name of ${seq}` },
    { k: 72, v: 'a' },
    { k: 72, v: 'b' },
  ],
  owners: [],
  createdAt: 0,
});

export const tagExpression = (
  k: number,
  type: TagType,
  operator: Operator,
  value: number,
  application = '',
): Expression => ({
  node: {
    $case: 'tag',
    value: { tag: k, type, operator, operands: [{ value: { $case: 'number', value } }], application },
  },
});
