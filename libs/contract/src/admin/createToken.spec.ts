import { createToken } from './createToken.ts';

it('createToken covers all applications if a device token names none (R-T2)', () => {
  for (const request of [{ scope: 'device' }, { scope: 'device', applications: null }]) {
    expect(createToken.missing(request)).toBeUndefined();
    expect(createToken.parse(request)).toMatchObject({ scope: 'device', applications: 'all' });
  }
  const limited = { scope: 'device', applications: ['a1b2c-3d4e5'] };
  expect(createToken.parse(limited)).toMatchObject({ applications: ['A1B2C-3D4E5'] });
});

it.each(['api', 'server'])('createToken requires the applications of a token of scope %s', (scope) => {
  expect(createToken.missing({ scope })?.message).toBe('applications is required');
  expect(createToken.missing({ scope, applications: null })?.message).toBe('applications is required');
});
