import { TokenRemoval } from '@tidings/events/generated/tidings/events/v1/devices';
import { Platform } from '@tidings/kernel';
import { given, register, registered, token, tokenRemoved, tokenSet, updated } from './testing/given.ts';

const { TOKEN_REMOVAL_CLEARED: CLEARED, TOKEN_REMOVAL_UNREGISTERED: UNREGISTERED } = TokenRemoval;

describe('the token of a device that changes its platform without a new one (R-C1)', () => {
  it('stays, and is reported for the new platform, on which another device may have it', () => {
    const before = registered({ platform: Platform.Android, token: 't' });
    const changes = [updated({ platform: Platform.Chrome }), tokenSet('t', Platform.Chrome)];
    given(before)
      .when(register({ platform: Platform.Chrome }))
      .then(...changes);
    expect(given(before, ...changes).device()).toMatchObject({
      platform: Platform.Chrome,
      token: 't',
      th: 'hash of t',
    });
  });

  it('is removed if it was the address of a contact', () => {
    const before = registered({ platform: Platform.Sms, token: '+4915112345678' });
    const changes = [updated({ platform: Platform.Android }), tokenRemoved(CLEARED)];
    given(before)
      .when(register({ platform: Platform.Android }))
      .then(...changes);
    expect(given(before, ...changes).device()).toMatchObject({
      platform: Platform.Android,
      token: undefined,
      th: undefined,
      alerts: true,
    });
  });

  it('is not reported if there is none', () => {
    given(registered({ platform: Platform.Android }))
      .when(register({ platform: Platform.iOS }))
      .then(updated({ platform: Platform.iOS }));
  });
});

describe('an e-mail contact (R-C1)', () => {
  const contact = registered({ platform: Platform.Email, token: 'anna@example.com' });
  const withoutAddress = register({ platform: Platform.Email });
  const refusal = 'Email address has invalid count of parts';

  it('keeps its address if none is given', () => {
    given(contact).when(withoutAddress).then();
    expect(given(contact).device()).toMatchObject({ platform: Platform.Email, token: 'anna@example.com' });
  });

  it.each([
    ['new', []],
    ['a phone until now', [registered({ platform: Platform.Android, token: 't' })]],
    ['without one since it was unregistered', [contact, tokenRemoved(UNREGISTERED)]],
  ])('is refused without an address if it is %s', (_, past) => {
    given(...past)
      .when(withoutAddress)
      .thenRefused(refusal);
  });

  it('does not lose its address', () => {
    given(contact)
      .when(register({ platform: Platform.Email, token: null }))
      .thenRefused(refusal);
  });
});

describe('a device of another platform', () => {
  const only = (platform: number) => register({ platform, token: token('t2'), onlyPlatform: true });
  const refusal = 'The device has another platform';

  it('is neither registered nor unregistered by a call for one platform', () => {
    const android = given(registered({ platform: Platform.Android, token: 't' }));
    android.when(only(Platform.Safari)).thenRefused(refusal);
    android.when({ type: 'unregister', platform: Platform.Safari }).thenRefused(refusal);
    android.when(only(Platform.Android)).then(tokenSet('t2', Platform.Android));
    android.when({ type: 'unregister', platform: Platform.Android }).then(tokenRemoved(UNREGISTERED));
    given()
      .when(only(Platform.Safari))
      .then(registered({ platform: Platform.Safari, token: 't2' }));
  });
});
