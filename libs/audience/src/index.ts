export { defaultTagList, defaultTags, FIRST_OWN_TAG, type TagDefinition } from './default-tags.ts';
export {
  checkOf,
  DEVICE_LOGS,
  deviceIdOf,
  deviceLogOf,
  keyedId,
  keyFor,
  type KeyPurpose,
  logOf,
  personOf,
} from './identity.ts';
