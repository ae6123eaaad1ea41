import { credentialFault } from './credential-faults.ts';

const sentences: Readonly<Record<string, string>> = {
  no_token: 'The device had no push token.',
  platform_disabled: 'The platform of the device is disabled or was never configured in the application.',
  application_deleted: 'The application was deleted before the push was sent.',
  stopped: 'The message was stopped before the push was sent.',
  unknown_outcome:
    'The provider did not answer, and a repeat could have been a duplicate. The device may have got the push.',
};

/** @returns an empty string for names that explain themselves, such as those of providers */
export const failureSentence = ({ category, name }: { readonly category: string; readonly name: string }): string =>
  (category === 'INVALID_CONFIGURATION' ? credentialFault(name)?.sentence : undefined) ?? sentences[name] ?? '';
