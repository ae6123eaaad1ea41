import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import type { Configuration } from './configuration.ts';
import { isExpected, Thinned, withoutStack } from './expected-faults.ts';
import { redact, redactText } from './redaction.ts';
import { nonBlockingLines } from './standard-output.ts';

export type { Logger } from 'pino';

const record = (fields: object): Record<string, unknown> => redact(fields) as Record<string, unknown>;

const options = (level: Configuration['logLevel']): LoggerOptions => ({
  level,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }), log: record },
  // The formatter above has already redacted errors.
  serializers: { err: (error: unknown) => error },
  hooks: { streamWrite: redactText, logMethod: thinnedOut(new Thinned()) },
});

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>;

/** In an outage every call fails. */
const thinnedOut = (thinned: Thinned): LogMethod =>
  function (args, method) {
    const [fields, message] = args as unknown as [unknown, unknown];
    const error = typeof fields === 'object' && fields !== null ? (fields as { err?: unknown }).err : undefined;
    if (!isExpected(error)) return method.apply(this, args);
    const before = thinned.pass(`${JSON.stringify(this.bindings())} ${String(message)}`);
    if (before === undefined) return undefined;
    const more = before > 0 ? { repeats: before } : {};
    const [, ...rest] = args as unknown as [object, string];
    return method.apply(this, [
      { ...(fields as object), ...more, err: withoutStack(error) },
      ...rest,
    ] as unknown as typeof args);
  };

type Child = (this: Logger, bindings: object, settings?: object) => Logger;

/** Drops lines instead of blocking. At most one line per batch. */
export function openLog(level: Configuration['logLevel'], destination?: DestinationStream): Logger {
  const log = pino(options(level), destination ?? nonBlockingLines(process.stdout));
  // pino calls its own formatter of bindings only for the first logger.
  const child = Reflect.get(log, 'child') as unknown as Child;
  Reflect.set(log, 'child', function (this: Logger, bindings: object, settings?: object) {
    return child.call(this, record(bindings), settings);
  } satisfies Child);
  return log;
}

/** A bundle may put an underscore before class names. */
const FAILED_START = /^_?ExceptionHandler$/;

export function nestLogger(log: Logger): LoggerService {
  const nest = log.child({ context: 'nest' });
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]): void => {
      const source = rest.at(-1);
      const fields = { ...(source === undefined ? {} : { source }) };
      const at = typeof source === 'string' && FAILED_START.test(source) ? 'debug' : level;
      if (message instanceof Error) nest[at]({ ...fields, err: message }, message.message);
      else if (typeof message === 'string') nest[at](fields, message);
      else nest[at]({ ...fields, message });
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
}
