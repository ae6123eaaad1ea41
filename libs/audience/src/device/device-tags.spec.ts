import { TagType } from '@tidings/events';
import type { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import fc from 'fast-check';
import { defaultTags, isSharedTag, type TagDefinition, tagNumber } from '../default-tags.ts';
import type { DeviceAction } from './action.ts';
import { entriesIn } from './device.ts';
import {
  application,
  flag,
  given,
  id,
  inSibling,
  list,
  MINUTE_MS,
  number,
  owner,
  ownOwner,
  register,
  registered,
  sibling,
  T0,
  tagsChanged,
  tagValue,
  text,
  updated,
  user,
  write,
} from './testing/given.ts';

const { language, timezone, pushAlertsEnabled, lastApplicationOpen, osVersion, firstInstall } = defaultTags;
const tag = (index: number, type: TagType, applicationSpecific: boolean): TagDefinition => ({
  name: `tag${index}`,
  number: tagNumber(index, type, applicationSpecific),
  type,
  applicationSpecific,
});
const level = tag(0, TagType.TAG_TYPE_INTEGER, false);
const colour = tag(1, TagType.TAG_TYPE_STRING, true);
const products = tag(2, TagType.TAG_TYPE_LIST, false);

const setTags = (...writes: Parameters<typeof write>[]): DeviceAction => ({
  type: 'setTags',
  writes: writes.map((each) => write(...each)),
});
const registeredInSibling = (...tags: Parameters<typeof tagsChanged>) =>
  inSibling(registered({ user: ownOwner(sibling), tags }));

describe('tags of a device', () => {
  it('change by values and operations, and not by the same value', () => {
    const action = setTags([level, { operation: 'increment', value: 2 }], [colour, 'red']);
    const first = tagsChanged(number(level, 2), text(colour, 'red'));
    given(registered()).when(action).then(first);
    given(registered(), first)
      .when(action)
      .then(tagsChanged(number(level, 4)));
    const changed = given(registered(), first, tagsChanged(number(level, 4)));
    expect(entriesIn(changed.device(), level.number)).toEqual([{ k: level.number, v: 4 }]);
    changed.when(setTags([colour, 'red'])).then();
    changed.when(setTags([colour, null])).then(tagsChanged(tagValue(colour, undefined)));
    const removed = given(registered(), first, tagsChanged(tagValue(colour, undefined))).device();
    expect(entriesIn(removed, colour.number)).toEqual([]);
  });

  it('are stored in the order of their numbers, and items in their own order', () => {
    const listed = tagsChanged(list(products, 'b', 'a'));
    given(registered())
      .when(setTags([products, ['b', 'a']]))
      .then(listed);
    given(registered(), listed)
      .when(setTags([level, 1]))
      .then(tagsChanged(number(level, 1)));
    const device = given(registered(), listed, tagsChanged(number(level, 1))).device();
    expect(device.tags.map(({ k }) => k)).toEqual([
      firstInstall.number,
      level.number,
      products.number,
      products.number,
    ]);
    expect(entriesIn(device, products.number).map(({ v }) => v)).toEqual(['b', 'a']);
  });

  it('change in every application at once if they are shared, otherwise in one', () => {
    const changes = [tagsChanged(number(level, 7), text(colour, 'red')), inSibling(tagsChanged(number(level, 7)))];
    given(registered(), registeredInSibling())
      .when(setTags([level, 7], [colour, 'red']))
      .then(...changes);
    const other = given(registered(), registeredInSibling(), ...changes).device(sibling);
    expect(entriesIn(other, level.number)).toEqual([{ k: level.number, v: 7 }]);
    expect(entriesIn(other, colour.number)).toEqual([]);
  });

  it('are copied to another application of the user if they are shared', () => {
    const past = [registered(), tagsChanged(list(products, 'a', 'b'), text(colour, 'red'))];
    given(registered())
      .when(setTags([products, ['a', 'b']], [colour, 'red']))
      .then(...past.slice(1));
    const [more, longer] = [number(level, 3), list(products, 'a', 'b', 'c')];
    const changes = [registeredInSibling(longer, more), tagsChanged(more, longer)];
    const writes = [write(level, 3), write(products, { operation: 'append', value: 'c' })];
    given(...past)
      .when(register({ writes }), { app: sibling })
      .then(...changes);
    const after = given(...past, ...changes);
    for (const app of [application, sibling]) {
      expect(entriesIn(after.device(app), level.number)).toEqual([{ k: level.number, v: 3 }]);
      expect(entriesIn(after.device(app), products.number).map(({ v }) => v)).toEqual(['a', 'b', 'c']);
    }
    expect(entriesIn(after.device(sibling), colour.number)).toEqual([]);
  });

  it('are refused as a whole if an operation has an invalid result, but never prevent a registration', () => {
    const full = Array.from({ length: 1000 }, (_, i) => String(i));
    const before = registered({ tags: [list(products, ...full)] });
    given()
      .when(register({ writes: [write(products, full)] }))
      .then(before);
    given(before)
      .when(setTags([level, 1], [products, { operation: 'append', value: 'x' }]))
      .thenRefused('tags.tag2: wrong value: list expected');
    given(before)
      .when(register({ writes: [write(level, 1), write(products, { operation: 'append', value: 'x' })] }))
      .then(tagsChanged(number(level, 1)));
    const device = given(before, tagsChanged(number(level, 1))).device();
    expect(entriesIn(device, level.number)).toEqual([{ k: level.number, v: 1 }]);
    expect(entriesIn(device, products.number)).toHaveLength(1000);
  });

  it('are stored in the fields of the device if they are language, time zone, alerts or last open', () => {
    const open = Date.UTC(2025, 4, 5, 10);
    const change = tagsChanged(text(language, 'fr'), number(timezone, -3600), flag(pushAlertsEnabled, false));
    given(registered())
      .when(
        setTags(
          [language, 'fr-CA'],
          [timezone, '-3600'],
          [pushAlertsEnabled, 'false'],
          [lastApplicationOpen, '2025-05-05 10:00'],
        ),
      )
      .thenDecided({ events: [change], selfReports: [{ id, set: { open } }] });
    const changed = given(registered(), change);
    expect(changed.device()).toMatchObject({ lang: 'fr', tz: -3600, alerts: false });
    const removal = tagsChanged(tagValue(language, undefined));
    changed
      .selfReported({ open })
      .when(setTags([language, null], [lastApplicationOpen, null]))
      .thenDecided({ events: [removal], selfReports: [{ id, set: { open: null } }] });
    expect(given(registered(), change, removal).device().lang).toBeUndefined();
  });

  it('are stored with an open, which is a self-report', () => {
    const writes = [write(osVersion, '17.1')];
    const changes = [
      updated({ user: owner('u') }),
      tagsChanged(tagValue(osVersion, { $case: 'version', value: '17.1' })),
    ];
    given(registered())
      .when({ type: 'open', writes, user: user('u') })
      .thenDecided({ events: changes, selfReports: [{ id, set: { open: T0 } }] });
    given(registered(), ...changes)
      .when({ type: 'open', writes })
      .then();
  });

  it('contain the time of the latest open, whatever a client has written before (R-C10)', () => {
    const open = Date.UTC(2030, 0, 1);
    given(registered())
      .when(setTags([lastApplicationOpen, '2030-01-01']))
      .thenDecided({ events: [], selfReports: [{ id, set: { open } }] });
    given(registered())
      .selfReported({ open })
      .when({ type: 'open', writes: [] }, { minutes: 1 })
      .thenDecided({ events: [], selfReports: [{ id, set: { open: T0 + MINUTE_MS } }] });
  });

  it('never differ between sibling applications if they are shared', () => {
    const definitions = [level, colour, products];
    const input = (definition: TagDefinition) =>
      definition === level
        ? fc.oneof(
            fc.integer(),
            fc.constant(null),
            fc.integer().map((value) => ({ operation: 'increment', value })),
          )
        : fc.oneof(
            fc.constant(null),
            fc.constantFrom('a', 'b', 'c'),
            ...(definition === products
              ? [fc.constantFrom('a', 'd').map((value) => ({ operation: 'append', value }))]
              : []),
          );
    const step = fc.record({
      app: fc.constantFrom(application, sibling, 'AAAAA-00003'),
      kind: fc.constantFrom('register', 'setTags', 'open'),
      tag: fc
        .constantFrom(...definitions)
        .chain((definition) => input(definition).map((value) => write(definition, value))),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const past: DeviceEvent[] = [];
        for (const { app, kind, tag: one } of steps) {
          const isNew = given(...past).devices.every((device) => device.app !== app);
          const action: DeviceAction =
            kind === 'register' || isNew
              ? register({ writes: [one] })
              : { type: kind === 'open' ? 'open' : 'setTags', writes: [one] };
          const { events } = given(...past)
            .when(action, { app })
            .decision();
          past.push(...events);
        }
        const shared = given(...past).devices.map(({ tags }) => tags.filter(({ k }) => isSharedTag(k)));
        for (const tags of shared) expect(tags).toEqual(shared[0]);
      }),
    );
  });
});
