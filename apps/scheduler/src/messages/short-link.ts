import type { MessageAccepted } from '@tidings/events';
import { randomBase62 } from '@tidings/kernel';

const SHORT_CODE_LENGTH = 8;

/** The message with the service's own short link in place of the target; unchanged if the target is "" (R-I19). */
export function shortened(accepted: MessageAccepted, target: string, publicUrl: string): MessageAccepted {
  if (target === '') return accepted;
  const shortLink = randomBase62(SHORT_CODE_LENGTH);
  const content = { ...accepted.content!, link: `${publicUrl}/s/${shortLink}` };
  return { ...accepted, content, shortLink, shortLinkTarget: target };
}
