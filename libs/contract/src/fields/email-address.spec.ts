import { disposableFault, emailFault } from './email-address.ts';

describe('emailFault (R-E2)', () => {
  it.each([
    ['', 'Email address is empty'],
    ['a b@example.com', 'Email address is invalid or has invalid semantic'],
    [`${'a'.repeat(64)}@${'b'.repeat(190)}.com`, 'Email address is invalid or has invalid semantic'],
    ['a.example.com', 'Email address has invalid count of parts'],
    ['a@b@example.com', 'Email address has invalid count of parts'],
    ['.a@example.com', 'Email address has invalid local part'],
    ['@example.com', 'Email address has invalid local part'],
    [`${'a'.repeat(65)}@example.com`, 'Email address has invalid local part'],
    ['ä@example.com', 'Email address has invalid local part'],
    ['a@example', 'Email address has invalid domain part'],
    ['a@-x.com', 'Email address has invalid domain part'],
    ['a@example.123', 'Email address has invalid domain part'],
    ['a@', 'Email address has invalid domain part'],
    ['a@example.com/x', 'Email address has invalid domain part'],
    ['a@example.com?x', 'Email address has invalid domain part'],
    ['a@example.com#x', 'Email address has invalid domain part'],
    ['a@example.com\\x', 'Email address has invalid domain part'],
    ['a@ex%61mple.com', 'Email address has invalid domain part'],
    ['a@bücher.example/x', 'Email address has invalid domain part'],
    ['Anna+news@bücher.example', undefined],
    ["o'neil@example.co.uk", undefined],
  ])('judges the address %j', (address, fault) => expect(emailFault(address)).toBe(fault));
});

describe('disposableFault (R-E4)', () => {
  const listed = new Set(['mailinator.com', 'xn--bcher-kva.example']);
  it.each([
    ['a@mailinator.com', true],
    ['a@mx.Mailinator.COM', true],
    ['a@bücher.example', true],
    ['a@notmailinator.com', false],
    ['a@mailinator.com.example', false],
    ['mailinator.com@example.com', false],
  ])('reports whether the domain of %s is disposable: %s', (address, isListed) =>
    expect(disposableFault(address, listed)).toBe(
      isListed ? 'Email address belongs to a disposable domain' : undefined,
    ),
  );
});
