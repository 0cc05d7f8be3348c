#include <reel/data/samplers/base.hpp>

#include <boost/core/demangle.hpp>

#include <reel/autograd/error.hpp>
#include <reel/data/samplers/batch.hpp>

namespace reel::data::samplers::detail {

void throw_no_state(const std::type_info& sampler, const char* method) {
    REEL_THROW(NotImplementedError, boost::core::demangle(sampler.name()), " does not override ", method,
               ", so its place cannot be saved or restored");
}
Value batch_sampler_state(Value inner) { return ValueDict{{"sampler", std::move(inner)}}; }
const Value& inner_sampler_state(const Value& state) {
    REEL_CHECK_TYPE(state.isGenericDict(), "BatchSampler: load_state_dict expects a dict, got ", state.kind_name());
    return state.toGenericDict().at("sampler");
}

} // namespace reel::data::samplers::detail
