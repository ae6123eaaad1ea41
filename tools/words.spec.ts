import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** Wherever they are part of an identifier or a file name. */
const REPLACED_WORDS: Readonly<Record<string, string>> = {
  afresh: 'fresh',
  asked: 'request',
  authorities: 'CA certificates',
  broke: 'connection lost',
  bygone: 'without devices',
  crowd: 'population',
  crowds: 'populations',
  desk: 'buffers',
  desks: 'buffer pool',
  emptied: 'redacted',
  emptying: 'redaction',
  fate: 'outcome',
  fates: 'outcomes',
  fold: 'apply',
  folded: 'applied',
  folding: 'applying',
  folds: 'applies',
  gate: 'throttle',
  gates: 'throttles',
  glance: 'partial decode',
  glances: 'partial decodes',
  hasten: 'make due',
  heard: 'received',
  heir: 'successor',
  incarnation: 'epoch',
  incarnations: 'epochs',
  laws: 'invariants',
  learnt: 'fetched',
  leftover: 'orphan',
  leftovers: 'orphans',
  meant: 'target',
  mended: 'recovered',
  obey: 'apply',
  park: 'dead letter',
  parked: 'dead letter',
  parking: 'dead letter',
  patience: 'timeout',
  permits: 'semaphore',
  person: 'hwid hash',
  persons: 'hwid hashes',
  presented: 'credentials',
  raised: 'enqueued',
  remains: 'orphans',
  repair: 'refresh',
  repaired: 'refreshed',
  repairs: 'refreshes',
  resting: 'deferred',
  said: 'message',
  sister: 'sibling',
  sisters: 'siblings',
  standing: 'access',
  stationery: 'defaults',
  struck: 'fault scenario',
  surely: 'trusted',
  tell: 'notify',
  telling: 'errorPattern',
  tells: 'notifies',
  told: 'delivered',
  troubles: 'failures',
  turns: 'semaphore',
  unanswered: 'unknown outcome',
  unclear: 'unresolved',
  unfit: 'invalid',
  unsure: 'unconfirmed',
  verdict: 'send result',
  verdicts: 'send results',
  waking: 'retry scheduler',
  wholly: 'entirely',
  woken: 'resumed',
};

/** Whole names in any notation, of words that have another meaning elsewhere. */
const REPLACED_NAMES: Readonly<Record<string, string>> = {
  accessOfAnyone: 'anonymousAccess',
  askedOf: 'termOf',
  awaitedOwners: 'pendingLeases',
  brokenLaw: 'brokenInvariant',
  calledContact: 'canonicalContact',
  chunkSet: 'bitmap',
  chunkSets: 'bitmaps',
  claimsParts: 'claimsDeps',
  commitsKept: 'commitRetention',
  compareAgain: 'recheckContacts',
  contactCalled: 'canonicalContact',
  contactOfMail: 'emailContact',
  contactsMeant: 'resolveContacts',
  deploymentForm: 'deploymentMode',
  deviceNotes: 'selfReportedState',
  devicesMeant: 'resolveDevices',
  dispatchParts: 'dispatchDeps',
  endWithThisProcess: 'exitWithParent',
  factsIn: 'factBatchOf',
  formUnderTest: 'modeUnderTest',
  giveBack: 'release',
  giveWay: 'yieldLease',
  handOn: 'moveStates',
  hasPassed: 'isConsumed',
  heldBytes: 'maxTextBytes',
  heldReport: 'pendingReport',
  heldReports: 'pendingReports',
  heldSlices: 'bufferedSlices',
  inTurn: 'sequentially',
  isAgain: 'isRepeat',
  isPassing: 'isTransient',
  isSamePlace: 'isSamePosition',
  isWithinReach: 'hasAccess',
  jobPiece: 'partEntries',
  jobPieceProcessed: 'jobPartProcessed',
  jobPieces: 'jobParts',
  keptFor: 'attemptId',
  keptMs: 'retentionMs',
  knownIn: 'readableIn',
  knownMessage: 'storedMessage',
  knownPlans: 'recentPlans',
  lastWords: 'exitDetails',
  lastWordsIn: 'lastErrorIn',
  law: 'invariant',
  life: 'epoch',
  lives: 'epochs',
  lookEveryMs: 'checkEveryMs',
  mailContact: 'emailContact',
  marks: 'sliceStatuses',
  marksId: 'recipientSetId',
  mayGo: 'mayFlush',
  meet: 'resolveClaim',
  meetClaim: 'resolveClaim',
  mergeNotes: 'mergeSelfReports',
  notItsTurn: 'turnReason',
  notesField: 'selfReportedField',
  numberedLog: 'eventLog',
  occur: 'recordEvent',
  onHeld: 'onClaimedElsewhere',
  onceMade: 'createOnce',
  openPieces: 'openJobParts',
  ownerLease: 'workerLease',
  ownerLeases: 'workerLeases',
  passedOn: 'verbatim',
  passedOver: 'skipped',
  passing: 'transient',
  pieceDocument: 'jobPartDocument',
  pieceProcessor: 'partProcessor',
  piecesModel: 'jobPartsModel',
  placeOf: 'positionOf',
  placedEvent: 'indexedEvent',
  rememberedBytes: 'cacheBytes',
  saidInbox: 'inboxSettings',
  saysAny: 'hasAnyText',
  sealedPlace: 'sealContext',
  seenLeases: 'leaseObserver',
  sendableId: 'recipientSetId',
  sendableKey: 'recipientSetKey',
  sendingParts: 'sendingDeps',
  shownMongoUrl: 'redactedMongoUrl',
  standIn: 'simulator',
  standInDeps: 'simulatorDeps',
  standInParts: 'simulatorDeps',
  standIns: 'simulators',
  storePiece: 'storePart',
  streamParts: 'streamDeps',
  sureTime: 'trustedTime',
  takePieces: 'takeRanges',
  troubleOf: 'connectionResult',
  troubleWith: 'providerFindings',
  tryPlace: 'checkListenable',
  unheardOutcomes: 'missingOutcomes',
  unhurriedLines: 'nonBlockingLines',
  unsendable: 'resultBeforeSending',
  untilThere: 'waitForDependency',
  wakeSlice: 'resume',
  wantedBy: 'tagSlots',
  wantedTag: 'predicateTag',
  wantsOne: 'needsProbe',
  wantsProbe: 'needsProbe',
  weightOf: 'maxBytesOf',
  windowId: 'sliceId',
  windowSize: 'sliceSize',
};

/** The retention of messages. */
const ALLOWED = new Set(['KEPT_MS']);

/** They say nothing where they are read alone. */
const NAMELESS = new Set(['rpc.ts', 'store.ts', 'log.ts']);

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);

const names = new Set(Object.keys(REPLACED_NAMES).map((name) => wordsOf(name).join(' ')));

const isReplaced = (name: string): boolean => {
  if (ALLOWED.has(name)) return false;
  const words = wordsOf(name);
  return names.has(words.join(' ')) || words.some((word) => Object.hasOwn(REPLACED_WORDS, word));
};

/** Comments, texts and patterns may use words that identifiers may not. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''")
    .replace(/([=(,:?[]\s*)\/(?![*/])(?:\[(?:\\.|[^\]\\\n])*\]|\\.|[^/\\\n[])+\/[a-z]*/g, "$1''");

const replacedIn = (text: string): string[] =>
  [...codeOf(text).matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name).filter(isReplaced);

const isMisnamed = (file: string): boolean => {
  const name = basename(file);
  return isReplaced(name.split('.')[0]!) || NAMELESS.has(name);
};

describe('replaced words of the glossary', () => {
  const files = globSync('{apps,libs,bench,tools,proto}/**/*.{ts,mjs,proto}', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|generated)$/.test(path),
  }).filter((file) => basename(file) !== 'words.spec.ts');

  it('are in no identifier of the code, the tools and the protos', () => {
    const found = files.flatMap((file) =>
      replacedIn(readFileSync(join(root, file), 'utf8')).map((word) => `${word} in ${file}`),
    );
    expect(found).toEqual([]);
  });

  it('are in no file name, and a file name states the purpose of the file', () => {
    const documents = globSync('{docs,deploy,bench}/**/*.{md,yml,yaml,json}', {
      cwd: root,
      exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
    });
    expect([...files, ...documents].filter(isMisnamed)).toEqual([]);
    expect(['a/rpc.ts', 'a/parked.int.spec.ts', 'a/stand-ins.ts'].filter((file) => !isMisnamed(file))).toEqual([]);
  });

  it('leave the suffix controller to classes that Nest routes', () => {
    const unrouted = files.filter(
      (file) =>
        file.endsWith('.controller.ts') && !readFileSync(join(root, file), 'utf8').match(/@(?:Api)?Controller\(/),
    );
    expect(unrouted).toEqual([]);
  });

  it('are found in code, in any notation, and not in comments, texts or patterns', () => {
    expect(replacedIn(`const desk = 1; // a desk\nlog('parked'); /* a verdict */ type SendVerdict = string;`)).toEqual([
      'desk',
      'SendVerdict',
    ]);
    expect(replacedIn('const pattern = /[/"](desk|parked)/g; match(/desk/); const share = 4 / desk / 2;')).toEqual([
      'desk',
    ]);
    expect(
      replacedIn('const WINDOW_SIZE = 1; readonly #toldAt = 0; gates_open; optional uint32 window_id = 1;'),
    ).toEqual(['WINDOW_SIZE', 'toldAt', 'gates_open', 'window_id']);
    expect(replacedIn('initialWindowSize; delegate; formatToParts; investigates; aggregated')).toEqual([]);
  });
});

describe('the glossary', () => {
  const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
  const rows = [...glossary.matchAll(/^\|(.*)\|$/gm)]
    .map(([, cells]) => cells!.split('|').map((cell) => cell.trim()))
    .filter(([word]) => word !== 'word' && !/^-+$/.test(word!));

  it('has a meaning and a place in the tree for every word', () => {
    const incomplete = rows.filter(([, meaning, place]) => !meaning || !/`(apps|libs|proto|docs)\//.test(place ?? ''));
    expect(incomplete).toEqual([]);
  });

  it.each(
    [
      ...['log', 'commit', 'head', 'relay', 'decider', 'projection', 'checkpoint', 'event', 'command', 'query'],
      ...['plan', 'chunk', 'seq', 'lane', 'attempt', 'lease', 'batch', 'funnel', 'stage', 'adapter', 'port'],
      ...['embedded', 'distributed', 'semaphore', 'slice', 'throttle', 'epoch'],
    ].map((word) => [word]),
  )('has a row for %s', (word) => {
    expect(rows.filter(([words]) => words!.split(', ').includes(word))).toHaveLength(1);
  });
});
