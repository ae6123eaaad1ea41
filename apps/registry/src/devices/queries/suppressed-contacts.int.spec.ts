import { expect, it } from '@jest/globals';
import { defaultTags } from '@tidings/audience';
import { chunkOf, Platform, positionOf } from '@tidings/kernel';
import { hasCategory } from '@tidings/registry-store';
import { ContactsOfSlice } from '@tidings/rpc';
import { describeWithMongo } from '@tidings/testing';
import { RegistryUnderTest } from '../../testing/registry-under-test.ts';

describeWithMongo('contacts that left a category', (mongo) => {
  it('are found by its whole name, however long (R-E14)', async () => {
    const { number: k } = defaultTags.unsubscribedCategories;
    const names = ['N'.repeat(63), 'N'.repeat(64), 'N'.repeat(65), `${'N'.repeat(64)}2`];
    const contacts = mongo.db.collection<{ _id: string; tags: object[] }>('contacts');
    await contacts.insertMany(
      names.map((name) => ({
        _id: name,
        tags: [{ k, v: name.slice(0, 64), ...(name.length > 64 && { s: name }) }],
      })),
    );
    for (const name of names) {
      const found = await contacts.find({ tags: { $elemMatch: hasCategory(name) } }).toArray();
      expect(found.map(({ _id }) => _id)).toEqual([name]);
    }
  });
});

describeWithMongo('contacts of a mail that is tried again', (mongo) => {
  const test = new RegistryUnderTest(mongo);
  const account = 'default';
  const mail = (hwid: string) => test.register(hwid, { platform: Platform.Email, pushToken: hwid });
  const names = ['stays', 'bounces', 'complains', 'leaves', 'leaves-news', 'goes', 'is-silent'];
  const hwids = names.map((name) => `${name}@example.com`);
  const [stays, bounces, complains, leaves, leavesNews, goes, isSilent] = hwids as [
    ...[string, string, string, string],
    ...[string, string, string],
  ];

  it('are found if they get no mail any more (R-E14)', async () => {
    for (const hwid of hwids) await mail(hwid);
    const numbers = new Map<string, number>();
    for (const hwid of hwids) numbers.set(hwid, (await test.stored(hwid))['seq'] as number);
    const positions = hwids.map((hwid) => positionOf(numbers.get(hwid)!));
    const slice = { account, application: test.app, positions, chunk: chunkOf(numbers.get(stays)!) };
    const find = async (...slices: readonly { readonly marketing: boolean; readonly category: string }[]) => {
      const request = { slices: slices.map((each) => ({ ...slice, ...each })) };
      const { found } = await test.registry.devices.findSuppressed(request);
      return found.map(({ slice: of, reason, positions: of2 }) => [
        of,
        reason,
        of2.map((position) => names[positions.indexOf(position)]),
      ]);
    };
    expect(await find({ marketing: true, category: 'News' })).toEqual([]);

    await test.registry.addresses.blacklistAddress({ account, email: bounces });
    await test.registry.addresses.recordComplaint({ account, email: complains });
    await test.setTags(leaves, { 'Unsubscribed Emails': true });
    await test.setTags(bounces, { 'Unsubscribed Emails': true });
    await test.setTags(leavesNews, { 'Unsubscribed Categories': ['News'] });
    await test.apply(test.command(goes, { $case: 'erase', value: {} }));
    await test.apply(test.command(isSilent, { $case: 'unregister', value: {} }));
    const always = [
      ['BOUNCED', ['bounces']],
      ['COMPLAINT', ['complains']],
      ['GONE', ['goes', 'is-silent']],
    ];
    const found = await find(
      { marketing: true, category: 'News' },
      { marketing: true, category: 'Offers' },
      { marketing: true, category: '' },
      { marketing: false, category: 'News' },
    );
    const left = ['UNSUBSCRIBED', ['leaves']];
    const expected = [
      [...always, left, ['FILTERED_BY_CATEGORY', ['leaves-news']]],
      [...always, left],
      [...always, left],
      always,
    ];
    expect(found.map(String).toSorted()).toEqual(
      expected.flatMap((each, i) => each.map((of) => String([i, ...of]))).toSorted(),
    );
  });

  it('are refused beyond the limits of a call', async () => {
    const slice = ContactsOfSlice.fromPartial({ account, application: test.app });
    const find = (slices: ContactsOfSlice[]) => test.registry.devices.findSuppressed({ slices });
    await expect(find(Array<ContactsOfSlice>(101).fill(slice))).rejects.toThrow('at most 100 slices');
    const many = { ...slice, positions: Array<number>(40_000).fill(1) };
    await expect(find([many, many])).rejects.toThrow('at most 65536 contacts');
  });
});
