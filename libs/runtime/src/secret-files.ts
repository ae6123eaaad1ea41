import { readFileSync } from 'node:fs';
import { Fault } from '@tidings/kernel';

/** Variables of secrets: each may also be given as a file, named by the same variable with `_FILE`. */
export const secretVariables = [
  'TIDINGS_MASTER_KEY',
  'TIDINGS_MASTER_KEY_PREVIOUS',
  'TIDINGS_ADMIN_TOKEN',
  'MONGO_URL',
  'GRPC_TLS_KEY',
  'KAFKA_SSL_KEY',
  'KAFKA_SASL_PASSWORD',
  'SMTP_URL',
  'SMPP_URL',
  // It may have a password.
  'HTTPS_PROXY',
  // They may have a token.
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
] as const;

/**
 * The environment with secrets read from their files, as Docker and Kubernetes mount them: `TIDINGS_ADMIN_TOKEN_FILE=/run/secrets/token` sets
 * `TIDINGS_ADMIN_TOKEN` to the text of that file, without surrounding white space.
 * @throws Fault `argument` with one line per variable whose file is unreadable or empty, or that is given in both ways
 */
export function withSecretFiles(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const lines: string[] = [];
  const read: NodeJS.ProcessEnv = {};
  for (const name of secretVariables) {
    const variable = `${name}_FILE`;
    const file = env[variable]?.trim();
    if (!file) continue;
    if (env[name]?.trim()) lines.push(`${variable}: must not be set beside ${name}`);
    else {
      const text = textOf(file);
      if (!text) lines.push(`${variable}: ${text === '' ? 'is empty' : 'cannot be read'}: ${file}`);
      read[name] = text;
    }
  }
  if (lines.length > 0) throw Fault.argument(lines.join('\n'));
  return { ...env, ...read };
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
