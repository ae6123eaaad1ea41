import { describe, expect, it } from '@jest/globals';
import { connectMongo } from './connect.ts';

describe('an address of MongoDB', () => {
  it.each(['mongodb://user:secret@a:b:c/', 'mongodb://user:secret@a/?tls=maybe', 'mongodb://user:secret%@a/'])(
    'ends the start if it is invalid, and is not repeated',
    async (url) => {
      const refusal = connectMongo(url);
      await expect(refusal).rejects.toMatchObject({
        kind: 'argument',
        message: 'MONGO_URL: must be an address of MongoDB',
      });
    },
  );
});
