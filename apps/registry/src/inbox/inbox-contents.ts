import type { KeyObject } from 'node:crypto';
import { languagesOf } from '@tidings/channels';
import { type Content, MessageAccepted } from '@tidings/events';
import { SizedEntries } from '@tidings/kernel';
import {
  filledText,
  hashPrefix,
  inboxImageOf,
  inboxRemovalIn,
  inFileUrl,
  type MessageKey,
  messageKeyOf,
  textFor,
  type Variables,
  variablesOf,
} from '@tidings/messaging';
import { bytesOf } from '@tidings/mongo';
import { codeIn, OUTGOING, type OutgoingDocument } from '@tidings/registry-store';
import type { Collection, Db } from 'mongodb';

export interface EntryTexts {
  readonly title: string;
  readonly text: string;
  readonly image: string;
  /** 0 none, 1 link, 2 rich media (R-J5). */
  readonly actionType: number;
  /** JSON without the hash and the closing brace. */
  readonly params: string;
}

export interface EntryReader {
  readonly language: string;
  readonly platform: number;
}

export interface InboxMessage {
  readonly order: bigint;
  readonly code: string;
  readonly messageId: bigint;
  readonly tags: readonly string[];
  readonly hashPrefix: string;
  readonly key: MessageKey;
  removalFor(reader: EntryReader): Date | undefined;
  textsFor(reader: EntryReader, valueOf: (tag: string) => string | undefined): EntryTexts;
}

const CACHED_BYTES = 64 * 1024 * 1024;

function render(
  content: Content,
  variables: Variables,
  { language, platform }: EntryReader,
  valueOf: (tag: string) => string | undefined,
): EntryTexts {
  const fill = (text = ''): string => filledText(text, variables, valueOf);
  const { inbox, richMedia = '' } = content;
  // The same on all devices of a user: one platform's text is the last resort.
  const own = [
    content.android,
    content.huawei,
    content.amazon,
    content.ios,
    content.mac,
    content.chrome,
    content.firefox,
    content.windows,
  ];
  const ownText = own.find((each) => each?.text)?.text;
  const ownTitle = own.find((each) => each?.title)?.title;
  const link = filledText(content.link ?? '', variables, valueOf, encodeURIComponent);
  const params = JSON.stringify({
    l: link === '' ? undefined : link,
    rm: richMedia === '' ? undefined : JSON.stringify({ code: richMedia }),
    u: content.data,
    md: content.metaData,
  });
  const image = inbox && inboxImageOf(inbox, platform, language);
  return {
    title: fill(textFor(content.title, language) ?? textFor(ownTitle, language)),
    text: fill(textFor(content.text, language) ?? textFor(ownText, language)),
    image: filledText(image ?? '', variables, valueOf, inFileUrl),
    actionType: richMedia === '' ? (link === '' ? 0 : 1) : 2,
    params: params.slice(0, -1),
  };
}

export function textsOf(content: Content): InboxMessage['textsFor'] {
  const variables = variablesOf(content);
  const languages = languagesOf(content);
  const rendered = new Map<string, EntryTexts>();
  const differs = (content.inbox?.pictures.length ?? 0) > 0;
  return ({ language: spoken, platform }, valueOf) => {
    const reader = { language: languages.has(spoken) ? spoken : '', platform };
    if (content.tags.length > 0) return render(content, variables, reader, valueOf);
    const key = differs ? `${platform}/${reader.language}` : reader.language;
    let texts = rendered.get(key);
    if (!texts) rendered.set(key, (texts = render(content, variables, reader, valueOf)));
    return texts;
  };
}

/** Cached without expiry: a released message does not change. */
export class InboxContents {
  readonly #messages: Collection<OutgoingDocument>;
  readonly #reportKey: KeyObject;
  readonly #cache = new SizedEntries<InboxMessage>({ maxBytes: CACHED_BYTES });

  constructor(db: Db, reportKey: KeyObject) {
    this.#messages = db.collection<OutgoingDocument>(OUTGOING);
    this.#reportKey = reportKey;
  }

  async of(application: string, ids: Iterable<string>): Promise<ReadonlyMap<string, InboxMessage>> {
    const found = new Map<string, InboxMessage>();
    const missing = new Set<string>();
    for (const id of ids) {
      const cached = this.#cache.get(`${application}/${id}`);
      if (cached) found.set(id, cached);
      else missing.add(id);
    }
    if (missing.size === 0) return found;
    const stored = await this.#messages.find({ _id: { $in: [...missing] }, releasedAt: { $exists: true } }).toArray();
    const contents = await this.#contentsOf(stored);
    stored.forEach((each, i) => {
      const message = contents[i] && this.#messageOf(application, each, contents[i]);
      if (message) found.set(each._id, message);
    });
    return found;
  }

  async expiryOf(application: string, order: number): Promise<Date | undefined> {
    const stored = await this.#messages.findOne({ order, releasedAt: { $exists: true } }, { hint: 'order' });
    const [content] = stored ? await this.#contentsOf([stored]) : [];
    const accepted = content && MessageAccepted.decode(content);
    return accepted?.applications.includes(application) ? stored!.expireAt : undefined;
  }

  async #contentsOf(stored: readonly OutgoingDocument[]): Promise<readonly (Uint8Array | undefined)[]> {
    const codes = stored.flatMap(({ _id, accepted }) => (accepted ? [] : [codeIn(_id)]));
    const found = codes.length === 0 ? [] : await this.#messages.find({ _id: { $in: codes } }).toArray();
    const ofMessages = new Map(found.map(({ _id, accepted }) => [_id, accepted]));
    return stored.map(({ _id, accepted = ofMessages.get(codeIn(_id)) }) => accepted && bytesOf(accepted));
  }

  #messageOf(application: string, stored: OutgoingDocument, encoded: Uint8Array): InboxMessage | undefined {
    const { campaignId, content } = MessageAccepted.decode(encoded);
    if (!content || stored.order === undefined) return undefined;
    const code = codeIn(stored._id);
    const hashed = { campaignId, messageId: BigInt(stored.id), code };
    const message: InboxMessage = {
      order: BigInt(stored.order),
      code,
      messageId: hashed.messageId,
      tags: content.tags,
      hashPrefix: hashPrefix(hashed),
      key: messageKeyOf(this.#reportKey, application, hashed),
      removalFor: ({ platform, language }) => content.inbox && inboxRemovalIn(content.inbox, platform, language),
      textsFor: textsOf(content),
    };
    this.#cache.set(`${application}/${stored._id}`, message, { content: message, bytes: encoded.length });
    return message;
  }
}
