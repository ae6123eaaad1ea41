import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Client, openClient } from '../../testing/gateway-client.ts';
import { APPLICATION, World } from '../../testing/gateway-world.ts';

describe('a count of devices (R-T8)', () => {
  let client: Client;
  beforeAll(async () => {
    client = await openClient(new World());
  });
  afterAll(() => client.close());

  const count = (expression: string, application = APPLICATION) =>
    client.admin('POST', `applications/${application}/count`, { expression });

  it('says whether it is a sample, and of which share', async () => {
    expect((await count('some')).body).toEqual({ devices: 250_112, sampled: true, share: 0.1833 });
    expect((await count('all')).body).toEqual({ devices: 250_112, sampled: false, share: 1 });
  });

  it('names the field and the position of an error', async () => {
    expect(await count('')).toMatchObject({
      status: 400,
      body: { error: { kind: 'argument', message: 'expression: condition expected at position 0' } },
    });
  });

  it('is not found in an unknown application', async () => {
    expect(await count('all', 'AAAAA-AAAAA')).toMatchObject({ status: 404 });
  });
});
