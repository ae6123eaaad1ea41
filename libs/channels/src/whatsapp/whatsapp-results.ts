import { fieldsOf, jsonIn, textOf } from '../reply-fields.ts';
import {
  codeNumber,
  final,
  interned,
  type Refusal,
  retry,
  type ResultRow,
  type SendResult,
  unlisted,
} from '../send-results.ts';

const invalidContent: ResultRow = { category: 'INVALID_CONTENT', then: final };
const invalidConfiguration: ResultRow = { category: 'INVALID_CONFIGURATION', then: final };
const quotaExceeded: ResultRow = { category: 'QUOTA_EXCEEDED', then: retry() };
const providerError: ResultRow = { category: 'PROVIDER_ERROR', then: retry() };
const rejected: ResultRow = { category: 'PROVIDER_ERROR', then: final };

const rows: readonly (readonly [ResultRow, readonly number[]])[] = [
  [
    invalidContent,
    [
      ...[33, 100, 131008, 131009, 131021, 131047, 131051, 131052, 131053],
      ...[132000, 132001, 132005, 132007, 132012, 132015, 132016, 132068, 132069],
    ],
  ],
  [
    invalidConfiguration,
    [0, 3, 10, 190, 368, 131005, 131030, 131031, 131042, 131045, 133000, 133005, 133006, 133010, 133015],
  ],
  [quotaExceeded, [4, 80007, 130429, 131048, 133016]],
  // Other recipients must not wait.
  [{ category: 'QUOTA_EXCEEDED', then: retry(0, 'device') }, [131056]],
  [providerError, [1, 2, 131000, 131016, 131057, 133004]],
  // The number stays: it may use WhatsApp later (R-P2).
  [{ category: 'INVALID_TOKEN', then: final }, [131026]],
  [rejected, [130472, 130497, 131049, 131050]],
  [{ category: 'UNCLASSIFIED_ERROR', then: final }, [135000]],
];

const byCode: ReadonlyMap<number, ResultRow> = new Map(
  rows.flatMap(([row, codes]) => codes.map((code) => [code, row])),
);

const isPermission = (code: number): boolean => code >= 200 && code <= 299;

const listed = interned((code, name): SendResult => {
  const row = byCode.get(code) ?? invalidConfiguration;
  return { ...row, code: String(code), name };
});
const others = interned(unlisted);

interface ApiError {
  readonly code: number | undefined;
  readonly name: string;
}

function errorIn(body: string): ApiError {
  const reply = jsonIn(body);
  if (reply === undefined) return { code: undefined, name: 'unreadable_reply' };
  const { code, message } = fieldsOf(fieldsOf(reply)['error']);
  return { code: codeNumber(code), name: textOf(message).replace(/^\(#\d+\)\s*/, '') };
}

export function whatsAppRefusal(status: number, body: string): Refusal {
  const { code, name } = errorIn(body);
  if (code === undefined) return { result: others(status, name) };
  const isListed = byCode.has(code) || isPermission(code);
  return { result: isListed ? listed(code, name) : others(status, `${code} ${name}`) };
}
