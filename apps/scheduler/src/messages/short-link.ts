import { contentParts } from '@tidings/channels';
import type { ActionLink, Content, MessageAccepted } from '@tidings/events';
import { randomBase62 } from '@tidings/kernel';
import { addressOf } from '@tidings/messaging';

const SHORT_CODE_LENGTH = 8;

export function shortened(accepted: MessageAccepted, target: string, publicUrl: string): MessageAccepted {
  if (target === '') return accepted;
  const shortLink = randomBase62(SHORT_CODE_LENGTH);
  const content = { ...accepted.content!, link: `${publicUrl}/s/${shortLink}` };
  return { ...accepted, content, shortLink, shortLinkTarget: addressOf(target) };
}

export function shortenedActions(
  accepted: MessageAccepted,
  platforms: readonly number[],
  publicUrl: string,
): MessageAccepted {
  const actionLinks: ActionLink[] = [];
  let content: Content | undefined = accepted.content;
  for (const platform of platforms) {
    const part = contentParts.get(platform);
    const platformContent = part && content?.[part];
    if (!platformContent || !('openAction' in platformContent) || platformContent.openAction?.link === undefined)
      continue;
    const code = randomBase62(SHORT_CODE_LENGTH);
    actionLinks.push({ platform, code, target: addressOf(platformContent.openAction.link) });
    const openAction = { ...platformContent.openAction, link: `${publicUrl}/s/${code}` };
    content = { ...content!, [part]: { ...platformContent, openAction } };
  }
  return actionLinks.length === 0 ? accepted : { ...accepted, content, actionLinks };
}
