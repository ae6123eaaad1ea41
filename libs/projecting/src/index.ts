export { project, type ProjectedDocument, type Projection } from './project.ts';
