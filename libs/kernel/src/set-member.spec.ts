import { expect, it } from '@jest/globals';
import { setMember } from './set-member.ts';

it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'plain'])(
  'setMember sets %s as an own member',
  (name) => {
    const object: Record<string, object> = {};
    setMember(object, name, { of: 1 });
    setMember(object, name, { of: 2 });
    expect(Object.entries(object)).toEqual([[name, { of: 2 }]]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
  },
);
