import { readFileSync } from 'node:fs';
import { Fault } from '@tidings/kernel';

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
  'HTTPS_PROXY',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
] as const;

/** @throws Fault `argument` with one line per variable */
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
