import { defaultTags } from '../default-tags.ts';
import type { DeviceAction } from './action.ts';
import { inheritedTagsOf } from './inherited-tags.ts';
import { given, list, registered, tagsChanged, text, tokenSet } from './testing/given.ts';

const { city, country, unsubscribedCategories, inAppProduct } = defaultTags;
const tags = [text(country, 'DE'), text(city, 'Berlin'), list(inAppProduct, 'a', 'b')];

describe('the tags of a device whose token another one takes', () => {
  const imported = registered({ token: 't1', tags, keys: { adoptByToken: true } });
  const inherit: DeviceAction = {
    type: 'tagsInherited',
    platform: 3,
    token: 't1',
    writes: inheritedTagsOf([given(imported).device()]),
  };

  it('go to the new device, unless it has them', () => {
    const own = registered({ token: 't1', tags: [text(city, 'Paris'), list(unsubscribedCategories, 'News')] });
    const inherited = tagsChanged(text(country, 'DE'), list(inAppProduct, 'a', 'b'));
    given(own).when(inherit).then(inherited);
    given(own, inherited).when(inherit).then();
  });

  it('do not go to a device that has got another token or platform since', () => {
    given(registered({ token: 't1' }), tokenSet('t2'))
      .when(inherit)
      .then();
    given(registered({ token: 't1', platform: 1 }))
      .when(inherit)
      .then();
  });

  it('stay where no import asked for it', () =>
    expect(inheritedTagsOf([given(registered({ token: 't1', tags })).device()])).toEqual([]));

  it('are those of the first device that has them', () => {
    const other = registered({ token: 't1', tags: [text(city, 'Rome')], keys: { adoptByToken: true } });
    const writes = inheritedTagsOf([given(other).device(), given(imported).device()]);
    expect(writes.filter(({ tag }) => tag.number === city.number)).toMatchObject([{ value: { value: 'Rome' } }]);
  });
});
