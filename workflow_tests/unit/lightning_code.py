"""LightningModules as users write them: those that can be trained privately, and those that are refused."""

import numpy as np
import torch

MODULES = '''
import numpy as np
import pytorch_lightning as pl
import torch
from torch import nn
from torch.nn.functional import cross_entropy

def layers(outputs):
    return nn.Sequential(nn.Flatten(), nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, outputs))

def network(outputs):
    return layers(outputs)

class Same(pl.LightningModule):
    """What this library does with a network: mean cross-entropy and plain SGD."""

    def __init__(self, outputs):
        super().__init__()
        self.layers = layers(outputs)
        self.seen = []

    def forward(self, x):
        return self.layers(x)

    def training_step(self, batch, index):
        x, y = batch
        self.log("loss", 0.0)
        return cross_entropy(self(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.3)

class Linear(Same):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(4, outputs, bias=False))

class Factored(Same):
    """Its optimiser keeps rows and columns of variances, no tensors of the shape of the parameters."""

    def configure_optimizers(self):
        return torch.optim.Adafactor(self.parameters(), 0.01)

class Cosine(Same):
    """Its schedule returns numbers of NumPy."""

    def configure_optimizers(self):
        optimiser = super().configure_optimizers()
        pace = lambda epoch: 0.5 * (1 + np.cos(np.pi * epoch / 4))
        return [optimiser], [torch.optim.lr_scheduler.LambdaLR(optimiser, pace)]

class Own(Same):
    """All that is allowed at once: two views, dropout, label smoothing, a dictionary, Adam, a schedule."""

    def __init__(self, outputs):
        super().__init__(outputs)
        self.dropout = nn.Dropout(0.2)
        self.rates = []

    def training_step(self, batch):
        x, y = batch
        views = [self(self.dropout(torch.roll(x, int(torch.randint(-1, 2, ())), dims=-1))) for _ in range(2)]
        consistent = (views[0] - views[1]).square().mean()
        self.rates.append((self.current_epoch, self.global_step, self.optimiser.param_groups[0]["lr"]))
        return {"loss": sum(cross_entropy(view, y, label_smoothing=0.1) for view in views) / 2 + consistent}

    def configure_optimizers(self):
        self.optimiser = torch.optim.AdamW(self.parameters(), 0.01)
        assert self.trainer.estimated_stepping_batches == self.trainer.max_epochs * self.trainer.num_training_batches
        return [self.optimiser], [torch.optim.lr_scheduler.MultiStepLR(self.optimiser, [1, 2], gamma=0.1)]

class Head(Same):
    def configure_optimizers(self):
        return torch.optim.SGD(self.layers[3].parameters(), 0.3)

class Unused(Same):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.other = nn.Linear(3, 2)

# Refused by what they define.

class Manual(Same):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.automatic_optimization = False

class Hooks(Same):
    def on_train_epoch_end(self):
        pass

    def configure_gradient_clipping(self, *args, **kwargs):
        pass

    def on_validation_end(self):
        pass

class Several(Same):
    def configure_optimizers(self):
        return [torch.optim.SGD(each.parameters(), 0.1) for each in (self.layers[1], self.layers[3])]

class Nothing(Same):
    def configure_optimizers(self):
        return None

class Plateau(Same):
    def configure_optimizers(self):
        optimiser = super().configure_optimizers()
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser)
        return {"optimizer": optimiser, "lr_scheduler": schedule, "monitor": "loss"}

class Bare(Same):
    def configure_optimizers(self):
        optimiser = super().configure_optimizers()
        return {"optimizer": optimiser, "lr_scheduler": torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser)}

class Other(Same):
    def configure_optimizers(self):
        return [super().configure_optimizers()], [torch.optim.lr_scheduler.StepLR(super().configure_optimizers(), 1)]

class Quasi(Same):
    def configure_optimizers(self):
        return torch.optim.LBFGS(self.parameters())

class Foreign(Same):
    def configure_optimizers(self):
        return torch.optim.SGD([*self.parameters(), nn.Parameter(torch.zeros(2))], 0.1)

class Frozen(Same):
    def configure_optimizers(self):
        self.requires_grad_(False)
        return super().configure_optimizers()

class Strategy(Same):
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), self.trainer.lightning_module.rate)

class Normed(Same):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.layers = nn.Sequential(nn.Flatten(), nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Linear(8, outputs))

# Refused by what they do with records.

class Weighted(Same):
    def training_step(self, batch, index):
        x, y = batch
        return cross_entropy(self(x), y, weight=torch.tensor([1.0, 5.0]))

class Contrastive(Same):
    def training_step(self, batch, index):
        x, y = batch
        z = self(x)
        return cross_entropy(z @ z.T, torch.arange(len(z)))

class MixUp(Same):
    def training_step(self, batch, index):
        x, y = batch
        order = torch.randperm(len(x))
        return cross_entropy(self((x + x[order]) / 2), y)

class Shuffled(Same):
    def training_step(self, batch, index):
        x, y = batch
        order = torch.arange(len(x)).flip(0)
        return cross_entropy(self(x[order]), y[order])

class Remembers(Same):
    last = 0.0

    def training_step(self, batch, index):
        x, y = batch
        loss = cross_entropy(self(x + self.last), y)
        self.last = x.mean()
        return loss

class Average(Same):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.register_buffer("mean", torch.zeros(4))

    def training_step(self, batch, index):
        self.mean += batch[0].flatten(1).mean(0)
        return super().training_step(batch, index)

class Unsaved(Average):
    def __init__(self, outputs):
        super().__init__(outputs)
        self.register_buffer("mean", torch.zeros(4), persistent=False)

class Summed(Same):
    def training_step(self, batch, index):
        return cross_entropy(self(batch[0]), batch[1], reduction="sum")

class Views(Same):
    def training_step(self, batch, index):
        x, y = batch
        return cross_entropy(self(torch.cat([x, -x])), torch.cat([y, y]))

class Penalty(Same):
    def training_step(self, batch, index):
        return super().training_step(batch, index) + self.layers[1].weight.square().sum()

class Functional(Same):
    def training_step(self, batch, index):
        x, y = batch
        return cross_entropy(nn.functional.linear(x.flatten(1) @ self.layers[1].weight.T, self.layers[3].weight), y)

class Measured(Same):
    def training_step(self, batch, index):
        x, y = batch
        self.seen.append(self(-x).argmax(1))
        return cross_entropy(self(x), y)

class NumpyNoise(Same):
    def training_step(self, batch, index):
        import numpy
        return super().training_step((batch[0] + float(numpy.random.random()), batch[1]), index)

class NoLoss(Same):
    def training_step(self, batch, index):
        super().training_step(batch, index)

class PerRecord(Same):
    def training_step(self, batch, index):
        return cross_entropy(self(batch[0]), batch[1], reduction="none")

class Failing(Same):
    def training_step(self, batch, index):
        return undefined  # this line
'''

RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.random((90, 4)).astype(np.float32))
Y = torch.from_numpy((X[:, 0].numpy() > 0.5).astype(np.int64))
