import type { CredentialDefinition } from '../credential-definition.ts';
import { localResults } from '../send-results.ts';

export interface SmppCredential {
  readonly transport: 'smpp';
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly sender: string;
}

export const SMS_HTTP_TOKEN = 'sms_http_token';

const SMPP_PORT = 2775;

export function smppCredentialIn(address: string): SmppCredential {
  const { hostname, port, username, password, searchParams } = new URL(address);
  return {
    transport: 'smpp',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? SMPP_PORT : Number(port),
    systemId: decodeURIComponent(username),
    password: decodeURIComponent(password),
    sender: searchParams.get('sender') ?? '',
  };
}

export interface TwilioCredential {
  readonly transport: 'http';
  readonly url: string;
  readonly account: string;
  readonly token: string;
  readonly sender: string;
}

export type SmsCredential = SmppCredential | TwilioCredential;

const isLatin1 = (text: string): boolean => /^[\x01-\xff]*$/.test(text);

export const smsCredential: CredentialDefinition<SmsCredential> = {
  requiredFor: () => ['sms_sender'],

  async read({ settings }) {
    const of = (name: string): string => settings.get(name) ?? '';
    const sender = of('sms_sender');
    const [url, account, token] = [of('sms_http_url'), of('sms_http_account'), of(SMS_HTTP_TOKEN)];
    if (url !== '' && account !== '' && token !== '') return { transport: 'http', url, account, token, sender };
    const [host, systemId, password] = [of('sms_smpp_host'), of('sms_system_id'), of('sms_password')];
    const port = Number(of('sms_smpp_port'));
    if (host === '' || !(port > 0)) return localResults.notConfigured;
    if (!isLatin1(systemId) || !isLatin1(password)) return localResults.unusableSetting;
    return { transport: 'smpp', host, port, systemId, password, sender };
  },

  identityOf: (credential) =>
    credential.transport === 'http'
      ? ['http', credential.url, credential.account, credential.token, credential.sender]
      : ['smpp', credential.host, String(credential.port), credential.systemId, credential.password, credential.sender],
};
