export const inGeneration = <Model extends { readonly name: string }>(model: Model, generation: number): Model =>
  generation === 0 ? model : { ...model, name: `${model.name}_${generation}` };
