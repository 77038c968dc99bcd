// The native part of the stand-in XPU: what a CPU-only libtorch lacks below Python.
//
// One device. Its memory is host memory; its eager operators run on the CPU (boxed fallback). Compiled once per torch
// version against that torch's own headers, so a changed interface is a compile error, never a wrong call. Loaded with
// ctypes: no Python headers are needed. The static registrations run on load; `xpuasm_install` reports what they found.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/EmptyTensor.h>
#include <ATen/TensorOperators.h>
#include <ATen/detail/XPUHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu_backward.h>
#include <ATen/ops/_scaled_dot_product_fused_attention_overrideable.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <numeric>

namespace {
using namespace c10;
using at::Tensor;
using OptTensor = std::optional<Tensor>;
constexpr DeviceType kStandIn = DeviceType::XPU;
const Device kDevice(kStandIn, 0);
const DispatchKeySet kKeys(DispatchKey::XPU);

// ---------------------------------------------------------------- streams and events: everything is already done

thread_local StreamId current_stream = 0;
std::atomic<StreamId> last_stream{0};

using Clock = std::chrono::steady_clock;

struct Guard final : public impl::NoOpDeviceGuardImpl<kStandIn> {
  Device exchangeDevice(Device) const override { return kDevice; }
  Device getDevice() const override { return kDevice; }
  DeviceIndex deviceCount() const noexcept override { return 1; }
  Stream getStream(Device) const noexcept override { return Stream(Stream::UNSAFE, kDevice, current_stream); }
  Stream getDefaultStream(Device) const override { return Stream(Stream::DEFAULT, kDevice); }
  Stream getNewStream(Device, int) const override { return Stream(Stream::UNSAFE, kDevice, ++last_stream); }
  Stream getStreamFromGlobalPool(Device device, bool) const override { return getNewStream(device, 0); }
  Stream exchangeStream(Stream stream) const noexcept override {
    Stream before = getStream(kDevice);
    current_stream = stream.id();
    return before;
  }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeDevice(const DeviceIndex) const override {}
  void synchronizeEvent(void*) const override {}
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void record(void** event, const Stream&, const DeviceIndex, const EventFlag) const override {
    if (!*event) *event = new Clock::time_point;
    *static_cast<Clock::time_point*>(*event) = Clock::now();
  }
  void destroyEvent(void* event, const DeviceIndex) const noexcept override {
    delete static_cast<Clock::time_point*>(event);
  }
  // The host's clock: the only time that exists here. torch_xpu.py says so when a script asks.
  double elapsedTime(void* start, void* end, const DeviceIndex) const override {
    return std::chrono::duration<double, std::milli>(
               *static_cast<Clock::time_point*>(end) - *static_cast<Clock::time_point*>(start)).count();
  }
};

// ---------------------------------------------------------------- random numbers: a generator apart from the CPU's

const at::Generator& default_generator() {
  static const at::Generator generator = at::detail::createCPUGenerator();
  return generator;
}

struct Hooks final : public at::XPUHooksInterface {
  Hooks() = default;
  explicit Hooks(at::XPUHooksArgs) {}
  void init() const override {}
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasXPU() const override { return true; }
  std::string showConfig() const override { return "a stand-in XPU: host memory, eager operators on the CPU"; }
  int32_t getGlobalIdxFromDevice(const Device&) const override { return 0; }
  DeviceIndex getNumGPUs() const override { return 1; }
  DeviceIndex deviceCount() const override { return 1; }
  DeviceIndex current_device() const override { return 0; }
  DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(DeviceIndex) const override {}
  DeviceIndex exchangeDevice(DeviceIndex) const override { return 0; }
  DeviceIndex maybeExchangeDevice(DeviceIndex) const override { return 0; }
  void deviceSynchronize(DeviceIndex) const override {}
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  Allocator* getPinnedMemoryAllocator() const override { return GetCPUAllocator(); }
  Device getDeviceFromPtr(void*) const override { return kDevice; }
  const at::Generator& getDefaultGenerator(DeviceIndex) const override { return default_generator(); }
  // The first generator asked for becomes `torch.xpu.default_generators[0]` (asked for by torch_xpu.py at start).
  at::Generator getNewGenerator(DeviceIndex) const override {
    static std::atomic<bool> handed_out{false};
    return handed_out.exchange(true) ? at::detail::createCPUGenerator() : default_generator();
  }
};

// ---------------------------------------------------------------- memory: pages cost nothing until they are touched

std::atomic<int64_t> live_bytes{0}, peak_bytes{0}, allocated_bytes{0}, freed_bytes{0};

struct Block { void* address; size_t size; };

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  if (block->address) munmap(block->address, block->size);
  live_bytes -= static_cast<int64_t>(block->size);
  freed_bytes += static_cast<int64_t>(block->size);
  delete block;
}

struct HostMemory final : public Allocator {
  DataPtr allocate(size_t size) override {
    void* address = nullptr;
    if (size) {
      address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      TORCH_CHECK(address != MAP_FAILED, "stand-in XPU: cannot reserve ", size, " bytes of host memory");
    }
    allocated_bytes += static_cast<int64_t>(size);
    const int64_t live = live_bytes += static_cast<int64_t>(size);
    for (int64_t peak = peak_bytes; live > peak && !peak_bytes.compare_exchange_weak(peak, live);) {}
    return DataPtr(address, new Block{address, size}, &release, kDevice);
  }
  DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, size_t size) const override { default_copy_data(to, from, size); }
};

HostMemory memory;

// ---------------------------------------------------------------- tensors: the same memory, seen from the CPU

Tensor host(const Tensor& tensor) {
  if (!tensor.defined() || tensor.device().type() != kStandIn) return tensor;
  auto options = tensor.options().device(kCPU).requires_grad(false);
  if (tensor.numel() == 0) return at::empty(tensor.sizes(), options);
  auto seen = at::from_blob(tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(), [keep = tensor](void*) {}, options);
  seen._set_conj(tensor.is_conj());
  seen._set_neg(tensor.is_neg());
  return seen;
}

OptTensor host(const OptTensor& tensor) {
  return tensor && tensor->defined() ? OptTensor(host(*tensor)) : tensor;
}

Tensor on_device(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  Tensor made = at::detail::empty_strided_generic(tensor.sizes(), tensor.strides(), &memory, kKeys, tensor.scalar_type());
  host(made).copy_(tensor);
  return made;
}

// In the layout of another tensor, which is what the operators' meta functions promise to the compiler.
Tensor on_device_as(const Tensor& like, const Tensor& tensor) {
  std::vector<int64_t> order(like.dim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return like.stride(a) > like.stride(b); });
  std::vector<int64_t> strides(like.dim());
  int64_t next = 1;
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    strides[*dim] = next;
    next *= tensor.size(*dim);
  }
  Tensor made = at::detail::empty_strided_generic(tensor.sizes(), strides, &memory, kKeys, tensor.scalar_type());
  host(made).copy_(tensor);
  return made;
}

// While a compiled graph's wrapper runs, its kernels compute nothing, so what its library calls would write is
// meaningless: they are skipped, and the inputs stay as they are for the eager run that gives the values.
thread_local bool dry = false;

void check_exists(const std::optional<Device>& device) {
  TORCH_CHECK(!device || device->index() <= 0, "the stand-in has one device, xpu:0; ", *device, " does not exist");
}

Tensor empty_memory_format(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                           std::optional<Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  check_exists(device);
  return at::detail::empty_generic(size, &memory, kKeys, dtype_or_default(dtype), format);
}

Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                     std::optional<at::Layout>, std::optional<Device> device, std::optional<bool>) {
  check_exists(device);
  return at::detail::empty_strided_generic(size, stride, &memory, kKeys, dtype_or_default(dtype));
}

Tensor& copy_(Tensor& self, const Tensor& source, bool non_blocking) {
  if (!dry) host(self).copy_(host(source), non_blocking);
  return self;
}

Tensor copy_from(const Tensor& self, const Tensor& target, bool non_blocking) {
  if (!dry) host(target).copy_(host(self), non_blocking);
  return target;
}

Tensor copy_from_and_resize(const Tensor& self, const Tensor& target) {
  if (target.sizes() != self.sizes()) at::native::resize_(target, self.sizes());
  host(target).copy_(host(self));
  return target;
}

at::Scalar local_scalar_dense(const Tensor& tensor) { return at::_local_scalar_dense(host(tensor)); }

bool takes_a_generator(const Argument& argument) {
  const auto optional = argument.type()->cast<OptionalType>();
  return optional && optional->getElementType()->kind() == TypeKind::GeneratorType;
}

// Drops the arguments and returns the ones that the operator would have written into.
bool return_aliases(const FunctionSchema& schema, torch::jit::Stack* stack) {
  std::vector<IValue> outputs;
  const auto arguments = torch::jit::last(*stack, schema.arguments().size());
  for (const auto& result : schema.returns()) {
    const auto* alias = result.alias_info();
    if (!alias || !alias->isWrite()) return false;
    for (size_t i = 0; i < schema.arguments().size(); ++i) {
      const auto* other = schema.arguments()[i].alias_info();
      if (other && *other == *alias) outputs.push_back(arguments[i]);
    }
  }
  if (outputs.size() != schema.returns().size() || !schema.is_mutable()) return false;
  torch::jit::drop(*stack, schema.arguments().size());
  for (auto& output : outputs) torch::jit::push(*stack, std::move(output));
  return true;
}

void fallback(const OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  if (dry && return_aliases(schema, stack)) return;
  const size_t first = stack->size() - schema.arguments().size();
  for (size_t i = 0; i < schema.arguments().size(); ++i)
    if (takes_a_generator(schema.arguments()[i]) && (*stack)[first + i].isNone())
      (*stack)[first + i] = IValue(default_generator());
  at::native::cpu_fallback(op, stack);
}

// ---------------------------------------------------------------- operators that an XPU build has under its own names

Tensor convolution(const Tensor& input, const Tensor& weight, const OptTensor& bias, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding,
                   int64_t groups) {
  return on_device(at::convolution(host(input), host(weight), host(bias), stride, padding, dilation, transposed,
                                   output_padding, groups));
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& grad, const Tensor& input, const Tensor& weight, at::IntArrayRef stride, at::IntArrayRef padding,
    at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
  auto [in, w, b] = at::convolution_backward(host(grad), host(input), host(weight), weight.size(transposed ? 1 : 0),
                                             stride, padding, dilation, transposed, output_padding, groups, mask);
  return {on_device(in), on_device(w), on_device(b)};
}

// Recurrent cells, by plain operators, which also give their gradients.
Tensor with_bias(const Tensor& gates, const OptTensor& bias) {
  return bias && bias->defined() ? gates + *bias : gates;
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cx,
                                             const OptTensor& input_bias, const OptTensor& hidden_bias) {
  const auto gates = (with_bias(input_gates, input_bias) + with_bias(hidden_gates, hidden_bias)).chunk(4, -1);
  const auto in = gates[0].sigmoid(), forget = gates[1].sigmoid(), cell = gates[2].tanh(), out = gates[3].sigmoid();
  const auto cy = forget * cx + in * cell;
  return {out * cy.tanh(), cy, at::cat({in, forget, cell, out}, -1)};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hx,
                                    const OptTensor& input_bias, const OptTensor& hidden_bias) {
  const auto in = with_bias(input_gates, input_bias).chunk(3, -1);
  const auto hidden = with_bias(hidden_gates, hidden_bias).chunk(3, -1);
  const auto reset = (in[0] + hidden[0]).sigmoid(), update = (in[1] + hidden[1]).sigmoid();
  const auto fresh = (in[2] + reset * hidden[2]).tanh();
  return {fresh + update * (hx - fresh), at::cat({reset, update, fresh, hx, hidden[2]}, -1)};
}

using Attention = std::tuple<Tensor, Tensor, Tensor, Tensor, SymInt, SymInt, Tensor, Tensor, Tensor>;

Attention attention_overrideable(const Tensor& q, const Tensor& k, const Tensor& v, const OptTensor& bias, double dropout,
                                 bool causal, bool, std::optional<double> scale) {
  const auto out = at::scaled_dot_product_attention(host(q), host(k), host(v), host(bias), dropout, causal, scale,
                                                    /*enable_gqa=*/q.size(1) != k.size(1));
  return {on_device_as(q, out), Tensor(), Tensor(), Tensor(), q.size(2), k.size(2),
          at::zeros({}, at::kLong), at::zeros({}, at::kLong), Tensor()};
}

Attention attention_flash(const Tensor& q, const Tensor& k, const Tensor& v, double dropout, bool causal, bool,
                          std::optional<double> scale) {
  auto [out, lse] = at::_scaled_dot_product_flash_attention_for_cpu(host(q), host(k), host(v), dropout, causal, {}, scale);
  return {on_device_as(q, out), on_device(lse.contiguous()), Tensor(), Tensor(), q.size(2), k.size(2),
          at::zeros({}, at::kLong), at::zeros({}, at::kLong), Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> attention_flash_backward(
    const Tensor& grad, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& out, const Tensor& lse,
    const Tensor&, const Tensor&, SymInt, SymInt, double dropout, bool causal, const Tensor&, const Tensor&,
    std::optional<double> scale) {
  auto [dq, dk, dv] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
      host(grad), host(q), host(k), host(v), host(out), host(lse), dropout, causal, {}, scale);
  return {on_device_as(q, dq), on_device_as(k, dk), on_device_as(v, dv)};
}

// ---------------------------------------------------------------- which attention an XPU build would choose

// The conditions and the order (overrideable, flash, math) of torch's own XPU source, aten/src/ATen/native/mkldnn/xpu/
// Attention.cpp; those of its flash kernel, which lives elsewhere, only as far as they are known (see `flash_fits`).
std::atomic<int64_t> attention_calls[3];  // overrideable, flash, math

bool needs_gradient(const sdp::sdp_params& p) {
  return at::GradMode::is_enabled() && (p.query.requires_grad() || p.key.requires_grad() || p.value.requires_grad());
}

bool fits_all(const sdp::sdp_params& p) {
  return sdp::check_nested_tensor(p, false) && sdp::check_for_dropout(p, false) && sdp::check_tensor_shapes(p, false) &&
      sdp::check_batch_size_and_num_heads_dense<true>(p, false) && sdp::check_attn_mask_shape(p, false) &&
      sdp::check_nonzero_sequence_lengths_dense(p, false) && sdp::check_last_dim_stride_equals_1_dense<false>(p, false);
}

bool overrideable_fits(const sdp::sdp_params& p) {
  const auto type = p.query.scalar_type();
  return fits_all(p) && !needs_gradient(p) && p.query.sym_size(-1) == p.key.sym_size(-1) &&
      p.query.sym_size(-1).max(p.value.sym_size(-1)) <= 576 &&
      (type == at::kFloat || type == at::kBFloat16 || type == at::kHalf) && p.key.scalar_type() == type &&
      p.value.scalar_type() == type;
}

bool flash_fits(const sdp::sdp_params& p) {
  const auto type = p.query.scalar_type();
  return fits_all(p) && !p.attn_mask && p.query.sym_size(-1) == p.key.sym_size(-1) &&
      p.key.sym_size(-1) == p.value.sym_size(-1) && p.query.sym_size(-1) <= 192 &&
      p.query.sym_size(1) == p.key.sym_size(1) && (type == at::kBFloat16 || type == at::kHalf);
}

sdp::SDPBackend choose_attention(const sdp::sdp_params& params) {
  const auto& context = at::globalContext();
  if (context.userEnabledOverrideableSDP() && overrideable_fits(params)) return sdp::SDPBackend::overrideable;
  if (context.userEnabledFlashSDP() && flash_fits(params)) return sdp::SDPBackend::flash_attention;
  TORCH_CHECK(context.userEnabledMathSDP(), "No viable backend for scaled_dot_product_attention was found.");
  return sdp::SDPBackend::math;
}

int64_t fused_sdp_choice(const Tensor& q, const Tensor& k, const Tensor& v, const OptTensor& mask, double dropout,
                         bool causal, std::optional<double>, bool gqa) {
  return static_cast<int64_t>(choose_attention({q, k, v, mask, dropout, causal, gqa}));
}

// The composite operator of a CPU-only build cannot ask for an XPU's choice (DispatchStub has no slot for it there).
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const OptTensor& mask, double dropout, bool causal,
                 std::optional<double> scale, bool gqa) {
  OptTensor bias = mask;
  if (mask && mask->defined() && mask->scalar_type() == at::kBool)
    bias = at::where(*mask, at::scalar_tensor(0.0, q.options()), at::scalar_tensor(-INFINITY, q.options()));
  switch (choose_attention({q, k, v, bias, dropout, causal, gqa})) {
    case sdp::SDPBackend::overrideable:
      ++attention_calls[0];
      return std::get<0>(at::_scaled_dot_product_fused_attention_overrideable(q, k, v, bias, dropout, causal, false, scale));
    case sdp::SDPBackend::flash_attention:
      ++attention_calls[1];
      return std::get<0>(at::_scaled_dot_product_flash_attention(q, k, v, dropout, causal, false, scale));
    default:
      ++attention_calls[2];
      return std::get<0>(at::_scaled_dot_product_attention_math(q, k, v, bias, dropout, causal, {}, scale, gqa));
  }
}
}  // namespace

namespace at { C10_REGISTER_CLASS(XPUHooksRegistry, XPUHooks, Hooks) }

TORCH_LIBRARY_IMPL(_, XPU, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>()); }

TORCH_LIBRARY_IMPL(aten, XPU, m) {
  m.impl("empty.memory_format", empty_memory_format);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("view_as_real", at::native::view_as_real);
  m.impl("view_as_complex", at::native::view_as_complex);
  m.impl("unfold", at::native::unfold);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("resize_", at::native::resize_);
  m.impl("set_.source_Storage", at::native::set_);
  m.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
  m.impl("set_.source_Tensor", at::native::set_tensor_);
  m.impl("copy_", copy_);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", local_scalar_dense);
  m.impl("_fused_sdp_choice", fused_sdp_choice);
  m.impl("scaled_dot_product_attention", attention);
  // Their CPU kernels warn when called as the composite does, with an output of the reduced shape.
  m.impl("mse_loss", torch::CppFunction::makeFromBoxedFunction<&fallback>());
  m.impl("smooth_l1_loss", torch::CppFunction::makeFromBoxedFunction<&fallback>());
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_gru_cell", gru_cell);
  m.impl("convolution_overrideable", convolution);
  m.impl("convolution_backward_overrideable", convolution_backward);
  m.impl("_scaled_dot_product_fused_attention_overrideable", attention_overrideable);
  m.impl("_scaled_dot_product_flash_attention", attention_flash);
  m.impl("_scaled_dot_product_flash_attention_backward", attention_flash_backward);
}

TORCH_LIBRARY_IMPL(aten, AutogradXPU, m) {
  m.impl("scaled_dot_product_attention", attention);
  m.impl("_thnn_fused_lstm_cell", lstm_cell);
  m.impl("_thnn_fused_gru_cell", gru_cell);
}

extern "C" {
// 0: installed. 1: a device guard is there already. 2: libtorch had made its hooks without an XPU before.
int xpuasm_install() {
  auto& slot = impl::device_guard_impl_registry[static_cast<size_t>(kStandIn)];
  if (slot.load()) return 1;
  slot.store(new Guard());
  SetAllocator(kStandIn, &memory);
  return at::detail::getXPUHooks().hasXPU() ? 0 : 2;
}

void xpuasm_dry(int on) { dry = on != 0; }

void xpuasm_memory(int64_t* out) {
  out[0] = live_bytes; out[1] = peak_bytes; out[2] = allocated_bytes; out[3] = freed_bytes;
}

void xpuasm_reset_peak_memory() { peak_bytes = live_bytes.load(); }

void xpuasm_attention_calls(int64_t* out) {
  for (int i = 0; i < 3; ++i) out[i] = attention_calls[i];
}
}
