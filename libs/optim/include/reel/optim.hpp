// Umbrella header of reel_optim.
#pragma once

#include <reel/optim/adadelta.hpp>
#include <reel/optim/adafactor.hpp>
#include <reel/optim/adagrad.hpp>
#include <reel/optim/adam.hpp>
#include <reel/optim/adamax.hpp>
#include <reel/optim/adamw.hpp>
#include <reel/optim/asgd.hpp>
#include <reel/optim/lbfgs.hpp>
#include <reel/optim/muon.hpp>
#include <reel/optim/nadam.hpp>
#include <reel/optim/optimizer.hpp>
#include <reel/optim/radam.hpp>
#include <reel/optim/rmsprop.hpp>
#include <reel/optim/rprop.hpp>
#include <reel/optim/sgd.hpp>

#include <reel/optim/schedulers/constant_lr.hpp>
#include <reel/optim/schedulers/cosine_annealing_lr.hpp>
#include <reel/optim/schedulers/cosine_annealing_warm_restarts.hpp>
#include <reel/optim/schedulers/cyclic_lr.hpp>
#include <reel/optim/schedulers/exponential_lr.hpp>
#include <reel/optim/schedulers/lambda_lr.hpp>
#include <reel/optim/schedulers/linear_lr.hpp>
#include <reel/optim/schedulers/multi_step_lr.hpp>
#include <reel/optim/schedulers/one_cycle_lr.hpp>
#include <reel/optim/schedulers/polynomial_lr.hpp>
#include <reel/optim/schedulers/reduce_on_plateau_scheduler.hpp>
#include <reel/optim/schedulers/sequential_lr.hpp>
#include <reel/optim/schedulers/step_lr.hpp>
#include <reel/optim/schedulers/swa_lr.hpp>
