import { describe, expect, it } from '@jest/globals';
import { latestOf } from './named.ts';

const device = (
  user: string,
  seq: number,
  platform: number,
  createdAt: number,
  token: string | undefined = 'token',
) => ({
  _id: `AAAAA-00001:${seq}`,
  user,
  seq,
  platform,
  createdAt,
  ...(token !== undefined && { token }),
});

describe('the latest device of a user', () => {
  const devices = [
    device('anna', 1, 3, 10),
    device('anna', 2, 1, 30),
    // A contact that registered last must not take the place of the phone.
    device('anna', 3, 14, 40),
    device('bert', 4, 3, 10),
  ];
  const latest = (among: readonly number[]) => latestOf(devices, among).map(({ seq }) => seq);

  it('is chosen among the platforms of the message', () => {
    expect(latest([])).toEqual([3, 4]);
    expect(latest([1, 3])).toEqual([2, 4]);
    expect(latest([3])).toEqual([1, 4]);
    expect(latest([14])).toEqual([3]);
  });

  it("has a push token if any of the user's devices has one", () => {
    const found = [device('anna', 1, 3, 10), { ...device('anna', 2, 1, 30), token: undefined }];
    expect(latestOf(found, []).map(({ seq }) => seq)).toEqual([1]);
  });
});
