#!/usr/bin/env bash
# usage: select.sh FULL   copies the vendored subset from the full reference data (kept read-only elsewhere) into this folder.
set -eu
full=$(cd "$1" && pwd)
cd "$(dirname "$0")"
rm -rf ops modules norms multistep optim schedulers random training scenarios distributed
mkdir -p ops modules norms multistep optim schedulers random training scenarios distributed/runs
for op in mv outer dot t cos exp log sigmoid sqrt neg add sub max-reduction_no_dim max-reduction_with_dim var-unbiased amax mean sum \
    norm-fro norm-inf permute squeeze squeeze-multiple select transpose expand unsqueeze repeat stack cat gather index_select \
    softmax log_softmax addmm mm linalg.inv lt masked_fill cumsum tanh abs bmm \
    nn.functional.layer_norm nn.functional.embedding nn.functional.mse_loss nn.functional.cross_entropy \
    nn.functional.relu nn.functional.gelu nn.functional.batch_norm nn.functional.linear triangular_solve; do
    cp "$full/ops/$op.safetensors" ops/
done
for module in Linear-0 Linear-2 Conv2d-9 Conv2d-1 BatchNorm1d-1 BatchNorm1d-2 BatchNorm2d-1 LayerNorm-0 LayerNorm-2 Embedding-0 \
    Embedding-2 MaxPool2d-0 AvgPool2d-0 Flatten-0 Identity-0 ReLU-0 GELU-1 Sigmoid-0 CrossEntropyLoss-0 CrossEntropyLoss-2 \
    MSELoss-1 MSELoss-2 LSTM-7 GRU-2 LSTMCell-0 EmbeddingBag-3; do
    cp "$full/modules/$module.safetensors" modules/
done
cp "$full"/norms/{LayerNorm-{5,12},LayerNormNoBias-{3,7},RMSNorm-{3,8,12},RINorm-{8,10,18,20,22}}.safetensors norms/
cp "$full"/optim/{SGD-0,SGD-2,Adam-6,Adam-7,AdamW-10}.safetensors optim/
cp "$full"/schedulers/{StepLR-0,CosineAnnealingLR-3}.safetensors schedulers/
cp "$full/random/seed-0.safetensors" random/
cp "$full"/training/{mlp-sgd,conv-freeze}.safetensors training/
cp "$full"/multistep/{golden-,mask,done-per-agent-,refused-,nested-,original-,integer-,random-flat-}*.safetensors multistep/
for family in autograd hooks-tensor hooks-forward hooks-backward module state freezing decisions; do
    head -n 25 "$full/scenarios/$family.jsonl" >"scenarios/$family.jsonl"
done
head -n 60 "$full/scenarios/random-00.jsonl" >scenarios/random-00.jsonl
cp "$full"/distributed/{collectives.jsonl,sampler.jsonl,faults.json} distributed/
cp "$full"/distributed/runs/{mlp,mlp-3,conv-bn-3,tied,hooks,sharded,zero,uneven-3}.safetensors distributed/runs/
./select_samples.py "$full" samples.safetensors
chmod -R u+w .
du -sh .
