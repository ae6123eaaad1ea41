import { Fault } from '@tidings/kernel';
import { api } from './api.ts';
import { conformanceCases } from './conformance.ts';
import type { Method, Request } from './method.ts';

const faultOf = (method: Method, request: Request): Fault | undefined => {
  const missing = method.missing(request);
  if (missing) return missing;
  try {
    method.parse(request);
    return undefined;
  } catch (thrown) {
    return Fault.from(thrown);
  }
};

describe.each(Object.values<Method>(api).map((method) => [method.name, method] as const))('%s', (_name, method) => {
  it('has examples whose replies match its output', () => {
    expect(method.examples.length).toBeGreaterThan(0);
    for (const { reply } of method.examples) expect(method.output.safeParse(reply)).toMatchObject({ success: true });
  });

  it.each(conformanceCases(method).map((one) => [one.title, one] as const))(
    'accepts or refuses a request as declared: %s',
    (_title, { request, expected }) => {
      const fault = faultOf(method, request);
      if (expected === 'accepted') return expect(fault).toBeUndefined();
      expect(fault?.kind).toBe(expected.kind);
      if (expected.text !== undefined) expect(fault?.message).toBe(expected.text);
      if (expected.field !== undefined) expect(fault?.message).toContain(expected.field);
    },
  );
});
